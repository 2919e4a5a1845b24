"""Designs that no robot has: numbers varied by name keep what the description demands, and one such design ends no run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads
from studies.study.robots import EXAMPLES, slider_study, study_of

TWO_SLIDES = (EXAMPLES / "two_slides.yaml").read_text().replace("rod: 0.5 m", "rod: 0.8 m")
HEIGHTS = {"h": {"poses": [{"y": 0.3}, {"y": 0.6}]}}
FORCE = {"F": {"measure": "peak force", "case": "h"}}


def two_slides(**keys: Any) -> gough.Study:
    known = {"cases": HEIGHTS, "measures": FORCE, "minimise": "F", "search": {"method": "grid", "count": 8}}
    return study_of(loads(TWO_SLIDES), **known | keys)


@pytest.mark.quick_cases("search0")
@pytest.mark.parametrize("search", [{"method": "grid", "count": 8}, {"method": "gradient", "starts": 2}])
def test_masses_by_name_are_not_negative(search: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    """Without friction the drives hold half of the platform each: the lighter the better, down to nothing."""
    found = two_slides(variables={"platform.M": [-5, 2]}, search=search).run()
    assert 0 <= found.variables()["platform.M"] <= (0.01 if "starts" in search else 1.0)
    alone = study_of(
        "three_rrr", variables={"leg0.crank.M": [-2, 2]}, measures={"m": "mass"}, minimise="m", search=search
    )
    assert alone.run().variables()["leg0.crank.M"] > 0
    assert "Traceback" not in "".join(capfd.readouterr())


def test_violations_grow_with_what_cannot_be() -> None:
    e = two_slides(variables={"platform.M": [-5, 2], "left.rod.ZZ": [-0.05, 0.1]}).evaluator
    found = e.evaluate(np.array([[1.0, 0.09], [-0.5, 0.09], [-2.0, 0.09], [-5.0, 0.09], [1.0, 0.05], [1.0, -0.05]]))
    assert found.violation[0] == 0 and (np.diff(found.violation[:4]) > 0).all()
    # the rod's moment about its mass centre, 0.4 kg · 0.8 m² / 12, is what is left of ZZ beyond m (rod/2)² = 0.064 kg m²
    assert 0 < found.violation[4] < found.violation[5]


def test_ranges_without_any_robot_are_refused() -> None:
    for name, told in (("platform.M", "not negative"), ("left.rod.ZZ", "moment of inertia")):
        with pytest.raises(gough.DescriptionError, match=told):
            two_slides(variables={name: [-5, -1]})
    viscous = {"leg0.slide.drive.friction.viscous": [-200.0, -10.0]}
    with pytest.raises(gough.DescriptionError, match="not negative"):
        study_of("pedrammehr2012", variables=viscous, measures={"m": "mass"}, minimise="m")


def test_an_error_of_one_design_is_its_violation(limits: Callable[..., None]) -> None:
    """A call that refuses cranks beyond 0.15 m ends no run, and the others have the values they have alone."""
    study = slider_study(search={"method": "grid", "count": 6}, keep="all")
    own = type(study.evaluator)._of_designs
    place = study.evaluator.space.model.parameter_names.index("pin.x")

    def picky(self: Any, P: np.ndarray, *more: Any) -> Any:
        if (P[:, place] > 0.15).any():
            raise gough.UsageError("too long")
        return own(self, P, *more)

    def never(*_: Any) -> Any:
        raise gough.UsageError("never")

    plain = study.run().kept
    limits(study_designs=picky)
    found = study.run().kept
    long = found.x[:, 0] > 0.15
    assert (found.violation[long] == 1).all() and (found.violation[~long] == 0).all() and 0 < long.sum() < 36
    assert np.array_equal(found.values[~long], plain.values[~long])
    limits(study_designs=never)
    again = slider_study(search={"method": "grid", "count": 6})
    with pytest.raises(gough.UsageError, match="never"):
        again.run()


def test_errors_at_a_point_do_not_end_a_descent(limits: Callable[..., None], capfd: pytest.CaptureFixture[str]) -> None:
    """The least torque at a way of 0.2 m, cranks beyond 0.15 m refused: optimisers turn back from them."""
    own = type(slider_study().evaluator).states_at
    for solver in ("ipopt", "slsqp"):
        search = {"method": "gradient", "starts": 2, "solver": solver}
        study = slider_study(constraints={"way": {"at_least": 0.2}}, search=search)

        def picky(self: Any, x: np.ndarray, near: Any = None, own: Any = own) -> Any:
            if x[0] > 0.15:
                raise gough.UsageError("too long")
            return own(self, x, near)

        limits(study_slopes=picky)
        found = study.run()
        assert found.variables() == pytest.approx({"crank": 0.1, "rod": 0.6}, rel=1e-4)
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.slow
def test_a_payload_on_a_flexible_platform_is_refused() -> None:
    """As descriptions refuse it: its modes would not feel it."""
    case = {"a": {"poses": [{}], "payload": {"mass": 5.0}}}
    measures = {"F": {"measure": "peak force", "case": "a"}}
    with pytest.raises(gough.DescriptionError, match="body of its own, fixed to a frame"):
        study_of("hexapod_flexible", variables={"gravity.z": [-9.9, -9.7]}, cases=case, measures=measures)


ARM = """
format: 2
name: cable_arm
bodies: [{name: arm, mass: 2, center_of_mass: [0.3, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.06, zz: 0.06}}]
joints:
  - name: hinge
    type: revolute
    axis: [0, 1, 0]
    parent: world
    child: arm
    drive: {}
    spring: {table: [[-1, -6], [-0.3, -1], [0.4, 1], [1.5, 6]]}
springs:
  - name: cable
    from: {body: world, position: [0, 0, 0.5]}
    to: {body: arm, position: [0.6, 0, 0]}
    polynomial: [0, 800, 40]
    rest_length: 0.7
    tension_only: true
"""


def test_springs_by_name_keep_their_shape() -> None:
    """Lengths of a table that do not grow, and a cable of 800 s + c2 s² N, which pushes from s = 800/-c2 on."""
    table, cable = "hinge.spring.table.2.at", "cable.polynomial.c2"
    study = study_of(
        loads(ARM),
        variables={table: [-1.0, 1.0], cable: [-400.0, 400.0]},
        cases={"a": {"poses": [{}]}},
        measures={"F": {"measure": "peak force", "case": "a"}},
    )
    x = np.array([[0.4, 40], [-0.2, 0], [-0.31, 40], [-0.9, 40], [0.4, -20.0], [0.4, -200.0]])
    found = study.evaluator.evaluate(x).violation
    assert (found[:2] == 0).all() and 0 < found[2] < found[3] and 0 < found[4] < found[5]
