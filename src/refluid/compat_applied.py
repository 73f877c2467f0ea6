"""Importing this module puts the names of `refluid.compat` back. `paddle` does so; nothing inside `refluid` does."""

from refluid.compat import apply

ADDED = apply()
