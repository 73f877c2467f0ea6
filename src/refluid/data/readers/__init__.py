"""A reader is a function without arguments that returns an iterable of samples; a decorator makes one of another."""
