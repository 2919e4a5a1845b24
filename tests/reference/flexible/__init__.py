"""Mechanisms with flexible bodies: `lagrange.FlexibleReference`, on mass points with shape functions (`points`).

`rest`: equilibrium, growth and zeros of small motions about it; `runs`: integration under drive forces of any kind.
"""
