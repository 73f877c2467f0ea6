"""The sequence operators; importing this package registers them."""
