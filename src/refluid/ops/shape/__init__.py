"""The shape operators; importing this package registers them."""
