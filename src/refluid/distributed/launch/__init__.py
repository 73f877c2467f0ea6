"""launch: starts the processes of a training and looks after them."""
