"""io: operators that speak with the world outside the program."""
