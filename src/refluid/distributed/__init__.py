"""distributed: several processes that train one model; README.md says how."""
