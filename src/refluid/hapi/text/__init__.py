"""Layers for sequences: recurrent cells and networks, attention, convolutions over time, random fields."""
