"""Layer functions of object detection."""
