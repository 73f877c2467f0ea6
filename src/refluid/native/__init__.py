"""native: loops that tensor code cannot express, in C++ that is compiled at first use; Python stands in without."""
