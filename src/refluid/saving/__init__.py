"""saving: variables, programs, inference models and state dictionaries on disk, in Fluid's own formats."""
