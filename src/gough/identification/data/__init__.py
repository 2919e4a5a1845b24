"""Measurements: what a log holds (`Record`), and the states and forces that estimators take (`Samples`)."""
