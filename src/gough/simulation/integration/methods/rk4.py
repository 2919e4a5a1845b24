"""The classical Runge–Kutta method: Kutta 1901."""

from math import sqrt

from gough.simulation.integration.explicit import ExplicitRungeKutta

RK4 = ExplicitRungeKutta(
    name="rk4",
    order=4,
    limit=2 * sqrt(2),
    use="flexible robots, many short runs, results at equal times",
    rows=((), (1 / 2,), (0, 1 / 2), (0, 0, 1)),
    weights=(1 / 6, 2 / 6, 2 / 6, 1 / 6),
)
