"""A hexapod of your own, and its forces along a small motion.

The legs have no mass here, so the answer is that of a free body held by six rods and can be written down:
the platform (mass m, its centre at the origin) rises with z(t) = 0.6 + 0.05 (1 - cos 4t), all legs are alike, and
6 f n = m (g + z''), n = z/l, l² = z² + d². The same robot is then written to YAML and read back.
"""

import numpy as np

import gough
from gough.robot import dumps, loads

MASS, BASE_RADIUS, PLATFORM_RADIUS, ANGLE = 12.0, 0.5, 0.3, np.radians(40.0)
T = np.linspace(0.0, 1.5, 31)
HEIGHT, RISING, SPEEDING = 0.6 + 0.05 * (1 - np.cos(4 * T)), 0.2 * np.sin(4 * T), 0.8 * np.cos(4 * T)


def closed_form():
    d2 = BASE_RADIUS**2 + PLATFORM_RADIUS**2 - 2 * BASE_RADIUS * PLATFORM_RADIUS * np.cos(ANGLE)
    n = HEIGHT / np.sqrt(HEIGHT**2 + d2)
    return MASS * (9.81 + SPEEDING) / (6 * n)


EXPECTED = {  # value, tolerance
    "force at the start (N)": (closed_form()[0], 1e-9),
    "largest force (N)": (closed_form().max(), 1e-9),
    "smallest force (N)": (closed_form().min(), 1e-9),
    "difference after YAML (N)": (0.0, 1e-12),
}


def ring(radius, degrees):
    angle = np.radians(degrees)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(len(angle))])


def main():
    base = ring(BASE_RADIUS, [10.0, 110.0, 130.0, 230.0, 250.0, 350.0])
    points = ring(PLATFORM_RADIUS, [50.0, 70.0, 170.0, 190.0, 290.0, 310.0])  # each 40° from its base point
    platform = {"mass": MASS, "inertia": {"about": "center_of_mass", "xx": 0.3, "yy": 0.3, "zz": 0.5}}
    robot = gough.robots.hexapod(base, points, platform=platform, home=[0.0, 0.0, 0.6], name="mine")
    model = gough.build(robot)

    v, acceleration = np.zeros((len(T), 6)), np.zeros((len(T), 6))
    v[:, 2], acceleration[:, 2] = RISING, SPEEDING
    q = model.configuration(coordinates={"z": HEIGHT})  # the other coordinates stay as at home
    forces = model.inverse_dynamics(q, v, acceleration).tau  # (31, 6)

    again = gough.build(loads(dumps(robot)))
    return {
        "force at the start (N)": forces[0].mean(),
        "largest force (N)": forces.max(),
        "smallest force (N)": forces.min(),
        "difference after YAML (N)": np.abs(again.inverse_dynamics(q, v, acceleration).tau - forces).max(),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
