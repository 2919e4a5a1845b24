"""The evenest robot of two slides: a study whose best design is known by hand.

At a height y the reciprocal condition of the drive map is tan φ or its inverse, tan φ = y / √(l² - y²) with rods of length l. The
least over heights a and b is largest where one is the inverse of the other: l = √(a² + b²), and is a/b then.
"""

import math
from pathlib import Path

import gough

LOW, HIGH = 0.3, 0.6
EXPECTED = {
    "rod (m)": (math.hypot(LOW, HIGH), 1e-5),  # closed form
    "dexterity": (LOW / HIGH, 1e-5),  # closed form
    "dexterity of the robot built again": (LOW / HIGH, 1e-5),
}


def main() -> dict[str, float]:
    study = gough.load_study(Path(__file__).parent / "studies" / "two_slides_study.yaml")
    found = study.run()
    robot = found.robot()
    again = found.evaluate_again()
    print(study)
    print(f"rods of {found.variables()['rod']:.6f} m, dexterity {found.values()['dexterity']:.6f}")
    print(f"built from its own description: {again['dexterity']:.6f}; source: {robot.source}")
    numbers = found.variables()["rod"], found.values()["dexterity"], again["dexterity"]
    return dict(zip(EXPECTED, numbers, strict=True))


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
