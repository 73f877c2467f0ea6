"""nn: Layer and the Layer classes, for both modes."""
