"""Motion over time: a chain of two four-bars falls from its upright position, through poses where it could fold.

Expected, from mechanics: while its cranks stay parallel, the chain of N four-bars (IFToMM benchmark A02) moves as one pendulum,
((N + 1)/3 + N) θ'' = ((N + 1)/2 + N) g sin θ, with θ(0) = 0 and θ'(0) = 1 rad/s; the first tip is at (sin θ, cos θ). The pendulum
is integrated here by SciPy to 1e-12. No drive, no friction: energy is kept.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gough

N, END = 2, 10.0  # four-bars; s


def pendulum(t):
    inertia, moment = (N + 1) / 3 + N, (N + 1) / 2 + N
    turn = solve_ivp(
        lambda _, x: [x[1], moment / inertia * 9.81 * np.sin(x[0])],
        (0.0, t),
        [0.0, 1.0],
        "DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    return turn.y[:, -1]


ANGLE, RATE = pendulum(END)
EXPECTED = {  # value, tolerance
    "x of the first tip after 10 s (m)": (np.sin(ANGLE), 1e-6),
    "y of the first tip after 10 s (m)": (np.cos(ANGLE), 1e-6),
    "speed of the first crank after 10 s (rad/s)": (RATE, 1e-5),
    "change of energy over the largest kinetic energy": (0.0, 1e-8),
    "open loops over the chain's size": (0.0, 1e-10),
}


def main():
    model = gough.build("four_bar_chain", velocities=["foot0"])
    run = gough.simulate(model, None, duration=END, v=[1.0], tolerance=1e-10)
    energy = run["energy.total"]
    angle = run["joints"][-1, run.layout.q_names.index("foot0")]
    return {
        "x of the first tip after 10 s (m)": np.sin(angle),
        "y of the first tip after 10 s (m)": np.cos(angle),
        "speed of the first crank after 10 s (rad/s)": run.v[-1, 0],
        "change of energy over the largest kinetic energy": np.ptp(energy) / run["energy.kinetic"].max(),
        "open loops over the chain's size": run["closure_error"].max(),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.9g}, expected {expected:.9g}")
        assert abs(value - expected) <= tolerance
