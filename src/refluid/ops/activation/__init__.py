"""The activation operators; importing this package registers them."""
