"""Well-known networks for images, as models."""
