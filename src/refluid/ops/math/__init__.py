"""The math operators; importing this package registers them."""
