"""distributed: what trainings of several processes share."""
