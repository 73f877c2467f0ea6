"""The optim operators; importing this package registers them."""
