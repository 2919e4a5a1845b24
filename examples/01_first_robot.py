"""Drive forces of a gallery robot at a pose: the 6-PUS robot of [Lopes], at rest and under a load.

Expected: 7.3608 N in every drive at P1 (an independent model: energies with automatic differentiation). All six legs
are alike there and the drives are vertical, so 10 N on the platform, downwards, add 10/6 N to each (statics).
"""

import numpy as np

import gough

EXPECTED = {  # value, tolerance
    "force at rest (N)": (7.3608, 0.00005),
    "spread of the six forces (N)": (0.0, 1e-9),
    "more under 10 N (N)": (10.0 / 6.0, 1e-9),
}


def main():
    model = gough.build("lopes")  # a gallery name, a path to a .yaml, or a Robot
    q = model.configuration(pose=([0.0, 0.0, 2.0], np.eye(3)))  # platform pose; the legs follow
    still = np.zeros(6)

    forces = model.inverse_dynamics(q, v=still, acceleration=still).tau
    load = [0.0, 0.0, -10.0, 0.0, 0.0, 0.0]  # force and moment of the surroundings on the platform
    loaded = model.inverse_dynamics(q, still, still, wrench=load).tau
    for name, f in zip(model.layout.drive_names, forces, strict=True):
        print(f"{name}: {f:.4f} N")
    return {
        "force at rest (N)": forces[0],
        "spread of the six forces (N)": np.ptp(forces),
        "more under 10 N (N)": (loaded - forces).mean(),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
