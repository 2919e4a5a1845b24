"""Numbers of a linear axis from its log: mass, friction and offset, with standard deviations.

Expected, as published: the best fit of the axis EMPS, a public benchmark of identification, has a mass of 95.1089 kg, viscous
friction of 203.5034 N s/m, Coulomb friction of 20.3935 N and an offset of -3.1648 N. The logs here are not those of EMPS: they
are made from these four numbers by Newton's law, written out below, which shares nothing with the library. Motions, steps of
the encoder and noise of forces are assumed. The description knows the numbers only roughly.
"""

import tempfile
from pathlib import Path

import numpy as np

import gough
from gough.robot import loads

MASS, VISCOUS, COULOMB, OFFSET = 95.1089, 203.5034, 20.3935, -3.1648
STEP, NOISE = 1e-6, 2.0  # m, N

EXPECTED = {  # value, tolerance
    "mass (kg)": (MASS, 0.3),
    "viscous friction (N s/m)": (VISCOUS, 3.0),
    "Coulomb friction (N)": (COULOMB, 0.6),
    "offset (N)": (OFFSET, 0.2),
    "numbers beyond four deviations": (0, 0),
    "mass of the saved robot (kg)": (MASS, 0.3),
}

AXIS = """
format: 1
name: axis
gravity: [0, 0, 0]
bodies: [{name: carriage, mass: 80}]
joints:
  - {name: screw, type: prismatic, parent: world, child: carriage, axis: [1, 0, 0], drive: {viscous: 150, coulomb: 30}}
"""


def write_log(path, phase, seed):
    """20 s at 1 kHz, in millimetres and newtons."""
    t = np.arange(20_000) / 1000
    w = 2 * np.pi * np.array([0.1, 0.4, 0.9])
    size = np.array([0.08, 0.03, 0.012])
    angle = np.outer(t, w) + phase
    x, v, a = np.sin(angle) @ size, np.cos(angle) @ (size * w), -np.sin(angle) @ (size * w**2)
    force = MASS * a + VISCOUS * v + COULOMB * np.sign(v) + OFFSET
    force += np.random.default_rng(seed).normal(0.0, NOISE, len(t))
    table = np.column_stack([t, 1000 * np.round(x / STEP) * STEP, force])
    np.savetxt(path, table, delimiter=",", header="time [s],screw.position [mm],screw.force [N]", comments="")


def main():
    with tempfile.TemporaryDirectory() as folder:
        model, samples = gough.build(loads(AXIS)), []
        for name, phase, seed in (("learn", [0.0, 1.0, 2.0], 12), ("check", [2.0, 0.0, 1.0], 13)):
            write_log(Path(folder) / f"{name}.csv", phase, seed)
            samples.append(gough.condition(model, gough.read_record(Path(folder) / f"{name}.csv", model)))
        unknown = ("inertia", "friction", "offsets")
        found = gough.identify(model, samples[0], parameters=unknown, validation=samples[1])
        print(found)
        gough.save(found.robot, Path(folder) / "axis.yaml")
        again = gough.build(Path(folder) / "axis.yaml")
    names = "carriage.M", "screw.drive.friction.viscous", "screw.drive.friction.coulomb", "screw.offset"
    values = np.array([found.parameters[n] for n in names])
    spread = np.array([found.deviations[n] for n in names])
    off = np.abs(values - [MASS, VISCOUS, COULOMB, OFFSET]) / spread
    print("errors in deviations:", off.round(1))
    return dict(
        zip(
            EXPECTED,
            [
                *map(float, values),
                int(np.sum(off > 4)),
                float(again.parameters[again.parameter_names.index("carriage.M")]),
            ],
            strict=True,
        )
    )


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
