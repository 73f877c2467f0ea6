"""eager: the imperative mode. Variables that hold values, the tape, and backward."""
