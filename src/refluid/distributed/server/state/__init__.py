"""state: the durable state of a server, so that it continues after a kill; README.md says how."""
