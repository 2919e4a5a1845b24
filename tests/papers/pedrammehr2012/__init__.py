"""Pedrammehr 2012: the `direct` route (eqs. 1-40, 45, 49), the `closed` form (41-43, 48, 51), the `paths` of Appendix 2."""
