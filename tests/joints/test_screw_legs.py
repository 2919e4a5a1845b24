"""Legs and loops with fine screws against the same robots with slides: a spindle only counts what its slide moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.kinematics.closed_form_legs import ClosedFormLegs
from joints.test_helical import TURN, screw_driven
from laws.subjects import built, described

STEPS = np.array([[0.0, 0.0, 0.05, 0.0, 0.0, 0.0], [0.02, -0.01, -0.03, 0.1, 0.05, -0.1], [0.0] * 6])


@pytest.mark.parametrize("lead", [-0.004, 0.0007])
@pytest.mark.parametrize("name", ["pedrammehr2012", "lopes"])
def test_a_spindle_follows_its_slide_over_many_turns(name: str, lead: float) -> None:
    plain, model = built(described(name)), built(screw_driven(described(name), lead))
    h = lead / TURN
    start = model.configuration(pose=plain.home_pose)
    a = plain.integrate(plain.home, STEPS)
    b = model.integrate(start, STEPS)
    found = {
        "integrate": b,
        "near": model.configuration(pose=a[:, :7], near=start),
        "project": model.project(b + 1e-7 * np.sin(np.arange(model.layout.nq))),
        "coordinates": model.configuration(drives=plain.drives(a) / h, near=start),
    }
    for what, q in found.items():
        assert model.closure_error(q).max() < 1e-9, what
        assert np.abs(model.drives(q) * h - plain.drives(a)).max() < 1e-6, what
    rest = gough.static_equilibrium(model, pose=a[0, :7], near=start)
    assert model.closure_error(rest.q) < 1e-10


def test_a_screw_of_a_target_is_reached_with_all_its_turns() -> None:
    model = built(screw_driven(described("lopes"), 0.004))
    name = model.layout.drive_names[0]
    wanted = float(model.drives(model.home)[0]) + 3.0 * TURN
    q = model.configuration(coordinates={name: wanted})
    assert model.drives(q)[0] == pytest.approx(wanted, abs=1e-6)


def test_an_open_result_is_told(monkeypatch: Any) -> None:
    """Whatever a leg's closed form gave: what does not close is not handed out as if it did."""

    model = built(described("lopes"))
    right = ClosedFormLegs.nearest

    def wrong(self: Any, *given: Any) -> tuple[np.ndarray, np.ndarray]:
        joints, failures = right(self, *given)
        return joints + 0.01, failures

    monkeypatch.setattr(ClosedFormLegs, "nearest", wrong)
    with pytest.raises(gough.BadStateError, match="NOT_CONVERGED"):
        model.integrate(model.home, np.full(6, 1e-3))


def test_assemblies_of_spindles_are_those_of_slides() -> None:
    plain, model = built(described("lopes")), built(screw_driven(described("lopes"), -0.004))
    a = gough.assemblies(plain, plain.drives(plain.home), starts=256)
    b = gough.assemblies(model, plain.drives(plain.home) / (-0.004 / TURN), starts=256)
    assert len(a.q) == len(b.q)
    order = [np.lexsort(np.round(x.q[:, :7], 5).T) for x in (a, b)]
    assert np.abs(a.q[order[0], :7] - b.q[order[1], :7]).max() < 1e-6
