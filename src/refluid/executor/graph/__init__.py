"""graph: a block of a program as nodes that hand values to one another. Names come back in the code generator alone."""
