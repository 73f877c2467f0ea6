"""The random operators; importing this package registers them."""
