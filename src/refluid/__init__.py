"""Refluid: the engine behind the `paddle` names. Everything that computes lives in its folders."""

__version__ = "0.2.0"
