"""Functions of images as objects: arrays [height, width, channels], colours in blue, green, red."""
