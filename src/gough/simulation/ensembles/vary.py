"""Numbers that differ from run to run, as `gough.vary`: see `sampled`."""

from gough.simulation.ensembles.sampled import Draw, Varied, monte_carlo, normal, spread, sweep, uniform, within

__all__ = ["Draw", "Varied", "monte_carlo", "normal", "spread", "sweep", "uniform", "within"]
