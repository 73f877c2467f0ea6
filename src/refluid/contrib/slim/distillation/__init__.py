"""Distillation: a small network that learns from a large one."""
