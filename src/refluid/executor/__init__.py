"""executor: a Program becomes a function. See docs/architecture.md for the road from block to plan."""
