"""Loading ahead of the training loop: in a thread, in processes, with batches in shared memory."""
