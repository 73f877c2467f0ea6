"""autodiff: gradients of programs, as operators appended to them."""
