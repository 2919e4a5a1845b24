"""Order 2, L-stable: Alexander 1977."""

from math import sqrt

from gough.simulation.integration._implicit import ImplicitRungeKutta

GAMMA = 1 - 1 / sqrt(2)
SDIRK2 = ImplicitRungeKutta(
    name="sdirk2",
    order=2,
    use="the same where low accuracy will do; damps what it does not resolve most",
    gamma=GAMMA,
    rows=((GAMMA,), (1 - GAMMA, GAMMA)),
    weights=(1 - GAMMA, GAMMA),
    lower=(1, 0),
)
