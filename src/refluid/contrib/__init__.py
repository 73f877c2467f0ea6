"""contrib: what was on its way into Fluid, and tools about programs."""
