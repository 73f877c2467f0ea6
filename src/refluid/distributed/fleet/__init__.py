"""fleet: trainings of several processes behind one interface: roles, optimizers, saving."""
