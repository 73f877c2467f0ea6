"""io: operators with effects outside the program."""
