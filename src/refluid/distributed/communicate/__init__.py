"""A trainer's Communicator at run time: what `send` passes to it goes to the servers, and parameters come back."""
