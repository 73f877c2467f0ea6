"""compiling: runs of small calls of a plan as C++ functions, where the user asks for it; see docs/decisions/0017."""
