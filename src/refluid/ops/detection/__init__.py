"""The detection operators; importing this package registers them."""
