"""The nn operators; importing this package registers them."""
