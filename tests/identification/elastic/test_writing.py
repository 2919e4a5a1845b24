"""What was found, in the description."""

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from inner.identification import choose_elastic, map_design, write_numbers
from inner.robot import bodies

from .elastic_robots import arm


def write(model, numbers):
    unknowns = choose_elastic(model, list(numbers), {}, {}, {})
    values = np.array([numbers[u.name] for u in unknowns])
    return write_numbers(model.robot, unknowns, values, 0.01 * np.abs(values))


@pytest.mark.parametrize("damping", ["rayleigh: {alpha: 0.5, beta: 1e-5}", "ratio: 0.02"])
def test_numbers_of_flexible_bodies_make_the_design_that_was_found(damping):
    model = arm(2, damping)
    keys = ("damping.alpha", "damping.beta") if "rayleigh" in damping else ("damping.ratio",)
    numbers = {"rod.E": 60e9, "rod.density": 2000.0, **{f"rod.{k}": 2e-3 * (i + 1) for i, k in enumerate(keys)}}
    robot = write(model, numbers)
    design = map_design(model, list(numbers), {}, {}, {}).design(np.array(list(numbers.values())))[0]
    again = gough.build(robot)
    assert again.parameter_names == model.parameter_names
    assert np.allclose(again.parameters, design, rtol=1e-9, atol=1e-12 * np.abs(design).max())
    assert "rod.E = 6e+10 ± 6e+08 Pa" in str(bodies(robot)["rod"].source)


def test_bodies_of_legs_and_added_masses():
    model = gough.build("hexapod_flexible")
    flexible = next(n for n, body in bodies(model.robot).items() if n.startswith("leg2.") and body.flexible is not None)
    robot = write(model, {f"{flexible}.stiffness_factor": 1.5})
    old, new = model.parameters, gough.build(robot).parameters
    moved = [n for n, a, b in zip(model.parameter_names, old, new, strict=True) if not np.isclose(a, b, rtol=1e-12)]
    assert moved and all(n.startswith(f"{flexible}.") for n in moved)
    emps = gough.build("dualemps_refined")
    loaded = bodies(write(emps, {"link14.pin.added_mass": 0.03}))["link14"]
    assert loaded.payload is not None and loaded.payload.mass == 0.03
    assert loaded.payload.at.position == (0.082, 0.0, 0.0)
    with pytest.raises(UsageError, match="find the body's parameters"):
        write(emps, {"link14.pin.added_mass": -0.03})
