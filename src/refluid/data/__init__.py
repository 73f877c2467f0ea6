"""Readers, their decorators, and the data sets that come with them."""
