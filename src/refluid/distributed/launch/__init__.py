"""launch: starts the processes of a training and monitors them."""
