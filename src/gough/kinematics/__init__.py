"""How a mechanism is put together and moves: assembly, mobility, choice of velocities, singularities."""
