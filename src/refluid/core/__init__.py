"""core: dtypes, places, flags, errors, unique names and the current mode. Imports nothing else of ours."""
