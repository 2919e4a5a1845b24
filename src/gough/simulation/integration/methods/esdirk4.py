"""Orders 4 and 3, L-stable, first stage explicit: ARK4(3)6L[2]SA of Kennedy and Carpenter 2003."""

from gough.simulation.integration._implicit import ImplicitRungeKutta

GAMMA = 1 / 4
LAST = (82889 / 524892, 0, 15625 / 83664, 69875 / 102672, -2260 / 8211, GAMMA)
ESDIRK4 = ImplicitRungeKutta(
    name="esdirk4",
    order=4,
    use="stiff robots: steps longer than the stiffest mode allows",
    gamma=GAMMA,
    rows=(
        (),
        (GAMMA, GAMMA),
        (8611 / 62500, -1743 / 31250, GAMMA),
        (5012029 / 34652500, -654441 / 2922500, 174375 / 388108, GAMMA),
        (15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912, GAMMA),
        LAST,
    ),
    weights=LAST,
    lower=(
        4586570599 / 29645900160,
        0,
        178811875 / 945068544,
        814220225 / 1159782912,
        -3700637 / 11593932,
        61727 / 225920,
    ),
)
