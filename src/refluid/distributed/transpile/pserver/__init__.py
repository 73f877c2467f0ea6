"""pserver: programs of trainers and of the parameter servers that hold their parameters."""
