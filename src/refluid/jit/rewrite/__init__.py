"""Rewriting Python source: control flow becomes calls of `refluid.jit.runtime`, which decide at run time."""
