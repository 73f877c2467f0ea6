"""The loss operators; importing this package registers them."""
