"""A search for architectures: one server proposes tokens, agents train what they stand for."""
