"""How a study looks for designs: sweeps, gradients from many starts, evolution."""
