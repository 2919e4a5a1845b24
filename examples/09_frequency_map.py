"""A map of natural frequencies over the workspace: a hexapod whose servos are springs.

Expected, from statics: with massless legs and the servo stiffness k in each of six legs alike, the platform of mass m bounces
along z with f = √(6 k n²/m) / 2π where n = z/l is the legs' slope and l² = z² + d² their length, at every height z: the map must
follow that curve. Without gravity, so that the legs carry nothing; weight would add its own small stiffness.
"""

import numpy as np

import gough

MASS, BASE_RADIUS, PLATFORM_RADIUS, ANGLE, STIFFNESS = 12.0, 0.5, 0.3, np.radians(40.0), 2e5
HEIGHTS = np.linspace(0.4, 0.8, 9)


def closed_form(z):
    d2 = BASE_RADIUS**2 + PLATFORM_RADIUS**2 - 2 * BASE_RADIUS * PLATFORM_RADIUS * np.cos(ANGLE)
    return np.sqrt(6 * STIFFNESS * z**2 / (z**2 + d2) / MASS) / (2 * np.pi)


EXPECTED = {  # value, tolerance
    "bouncing at the lowest pose (Hz)": (closed_form(HEIGHTS[0]), 1e-6),
    "bouncing at the highest pose (Hz)": (closed_form(HEIGHTS[-1]), 1e-6),
    "largest miss of the curve (Hz)": (0.0, 1e-6),
    "unstable poses": (0, 0),
    "poses without an answer": (0, 0),
}


def ring(radius, degrees):
    angle = np.radians(degrees)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(len(angle))])


def main():
    platform = {"mass": MASS, "inertia": {"about": "center_of_mass", "xx": 0.3, "yy": 0.3, "zz": 0.5}}
    robot = gough.robots.hexapod(
        ring(BASE_RADIUS, [10.0, 110.0, 130.0, 230.0, 250.0, 350.0]),
        ring(PLATFORM_RADIUS, [50.0, 70.0, 170.0, 190.0, 290.0, 310.0]),  # each 40° from its base point
        platform=platform,
        home=[0.0, 0.0, 0.6],
        gravity=[0, 0, 0],
        name="mine",
    )
    model = gough.build(robot)
    made = gough.vibration_map(
        model, {"z": (HEIGHTS[0], HEIGHTS[-1], len(HEIGHTS))}, count=6, drives={"stiffness": STIFFNESS}
    )
    found = made.grid(made.frequencies_hz)  # (9, 6)
    bouncing = found[np.arange(len(HEIGHTS)), np.abs(found - closed_form(HEIGHTS)[:, None]).argmin(axis=1)]
    return {
        "bouncing at the lowest pose (Hz)": bouncing[0],
        "bouncing at the highest pose (Hz)": bouncing[-1],
        "largest miss of the curve (Hz)": np.abs(bouncing - closed_form(HEIGHTS)).max(),
        "unstable poses": int(made.unstable.sum()),
        "poses without an answer": int(np.isnan(found).any(axis=1).sum()),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
