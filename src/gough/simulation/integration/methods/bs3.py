"""Orders 3 and 2 of Bogacki and Shampine 1989."""

from math import sqrt

from gough.simulation.integration.explicit import ExplicitRungeKutta

LAST = (2 / 9, 1 / 3, 4 / 9)
BS3 = ExplicitRungeKutta(
    name="bs3",
    order=3,
    limit=sqrt(3),
    use="rough answers, and forces with kinks: four evaluations a step, chosen by the error",
    rows=((), (1 / 2,), (0, 3 / 4), LAST),
    weights=(*LAST, 0),
    lower=(7 / 24, 1 / 4, 1 / 3, 1 / 8),
)
