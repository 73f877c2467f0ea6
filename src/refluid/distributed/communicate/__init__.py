"""A trainer's Communicator at run time: how what `send` hands over reaches the servers, and parameters come back."""
