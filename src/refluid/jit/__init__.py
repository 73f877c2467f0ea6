"""From the imperative mode to programs: translation of Python source, tracing, programs as one call of the tape."""
