"""server: parameter servers and their trainers at run time; README.md says how."""
