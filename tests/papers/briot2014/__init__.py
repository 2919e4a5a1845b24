"""Briot, Khalil 2014: `body` (eqs. 4, 53-68), `tree` (5-24), `closed` (25-44); two robots, `dualemps` and `tripod`."""
