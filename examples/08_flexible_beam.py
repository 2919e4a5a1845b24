"""A body that bends: an aluminium beam on a motor, by finite elements; its sag, its frequencies and what the motor feels.

Expected, from beam theory (Euler and Bernoulli): a cantilever of length L under its own weight w a metre sinks by w L⁴/8EI at its
tip; its natural frequencies are (k L)² √(EI/ρA)/(2π L²) with k L = 1.875104, 4.694091, 7.854757, the roots of cos x cosh x = -1;
the motor holds w L²/2. The linear theory holds for small slopes: here half a millimetre on 0.6 m.
"""

import numpy as np

import gough
from gough.robot import loads

LENGTH, HEIGHT, WIDTH, E, DENSITY = 0.6, 0.010, 0.030, 70e9, 2700.0
EI, MASS = E * WIDTH * HEIGHT**3 / 12, DENSITY * WIDTH * HEIGHT
ROOTS = np.array([1.875104069, 4.694091133, 7.854757438])
FREQUENCIES = ROOTS**2 * np.sqrt(EI / MASS) / (2 * np.pi * LENGTH**2)

EXPECTED = {  # value, tolerance
    "sag of the tip (mm)": (1000 * MASS * 9.81 * LENGTH**4 / (8 * EI), 1e-4),
    "torque of the motor (N m)": (MASS * 9.81 * LENGTH**2 / 2, 1e-4),
    "first frequency (Hz)": (FREQUENCIES[0], 1e-3 * FREQUENCIES[0]),
    "second frequency (Hz)": (FREQUENCIES[1], 1e-3 * FREQUENCIES[1]),
    "third frequency (Hz)": (FREQUENCIES[2], 1e-3 * FREQUENCIES[2]),
}

ROBOT = f"""
format: 1
name: beam
gravity: [0, -9.81, 0]
bodies:
  - name: arm
    frames: {{tip: {{position: [{LENGTH}, 0, 0]}}}}
    flexible:
      beam:
        length: {LENGTH}
        section: {{rectangle: {{y: {HEIGHT}, z: {WIDTH}}}}}
        material: {{E: {E}, nu: 0.33, density: {DENSITY}}}
        elements: 8
        plane: true
      modes: {{kind: clamped, number: 5}}
      stiffening: off
joints: [{{name: motor, type: revolute, parent: world, child: arm, drive: {{}}}}]
"""


def main():
    model = gough.build(loads(ROBOT))
    rest = gough.static_equilibrium(model)
    sag = -model.frame_pose(rest.q, "arm.tip")[0][1]
    modes = gough.natural_frequencies(model, about="undeformed").frequencies_hz
    return {
        "sag of the tip (mm)": 1000 * sag,
        "torque of the motor (N m)": rest.tau[0],
        "first frequency (Hz)": modes[0],
        "second frequency (Hz)": modes[1],
        "third frequency (Hz)": modes[2],
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
