"""Networks for images, and what is done to images before."""
