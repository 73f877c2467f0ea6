"""executor: a Program becomes a function. docs/architecture.md shows the steps from block to plan."""
