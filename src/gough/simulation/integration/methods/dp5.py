"""Orders 5 and 4 of Dormand and Prince 1980."""

from gough.simulation.integration.explicit import ExplicitRungeKutta

LAST = (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
DP5 = ExplicitRungeKutta(
    name="dp5",
    order=5,
    limit=0.997,
    use="rigid robots, and flexible ones whose stiffest mode you want to see",
    rows=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        LAST,
    ),
    weights=(*LAST, 0),
    lower=(5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40),
)
