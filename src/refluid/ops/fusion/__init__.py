"""fusion: operators that Fluid's inference passes put in place of several; saved and optimised models hold them."""
