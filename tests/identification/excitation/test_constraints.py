"""Constraints: as the model's own calls see limits and singularities, and gradients as differences."""

from __future__ import annotations

import numpy as np
import pytest

import gough

from .robots import model_of, problem_of
from .test_led import CASES, MORE, H, motion_of


@pytest.mark.parametrize(("name", "space"), [*CASES, *(pytest.param(*c, marks=pytest.mark.slow) for c in MORE)])
def test_gradients(name: str, space: str) -> None:
    c = problem_of(name, space=space).constraints
    _, y, yd, ydd = motion_of(c.space)
    states = c.space.states(y, yd, ydd)
    rows = [np.swapaxes(r, 0, 1) for r in c.gradients(states, c.space.derivatives(states))]
    by = c.space.derivatives(states).pull(*rows)
    dy = 0.1 * np.random.default_rng(2).normal(size=(3, *y.shape))
    there, back = (
        c.slacks(c.space.states(y + s * H * dy[0], yd + s * H * dy[1], ydd + s * H * dy[2], states.q)) for s in (1, -1)
    )
    wanted = (there - back) / (2 * H)
    found = sum(np.einsum("knm,nm->nk", g, x) for g, x in zip(by, dy, strict=True))
    assert found == pytest.approx(wanted, rel=1e-5, abs=1e-6 * np.abs(wanted).max())


def test_margins_are_those_of_the_model() -> None:
    model = model_of("three_prs")
    c = problem_of("three_prs", limits="description").constraints
    _, y, yd, ydd = motion_of(c.space)
    s = c.space.states(y, yd, ydd)
    tau = model.inverse_dynamics(s.q, s.v, s.vdot).tau
    stated = model.limit_margins(s.q, s.v, tau)
    found = dict(
        zip(
            map(str, c.bounds),
            np.stack([b.margins(x) for b, x in zip(c.bounds, c.values(s).T, strict=True)]),
            strict=True,
        )
    )
    for limit, margin in zip(stated.limits, stated.margins.T, strict=True):
        word = "stroke" if limit.kind.side else str(limit.kind)
        same = [m for x, m in zip(stated.limits, stated.margins.T, strict=True) if x.joint == limit.joint
                and bool(x.kind.side) == bool(limit.kind.side) and (x.kind.side or x.kind == limit.kind)]  # fmt: skip
        assert found[f"{limit.joint} {word}"] == pytest.approx(np.min([margin, *same], axis=0), abs=1e-12)
    near = model.singularity(s.q)
    assert c.conditions(s.q) == pytest.approx(np.column_stack([near.parallel, near.serial]), rel=1e-12)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("nothing", "limits='nothing'; use 'description'"),
        ({"left_motor": 3.0}, "give {word: bound}"),
        ({"left_motor": {"length": 3.0}}, "no 'length'; use stroke"),
        ({"left_moter": {"speed": 3.0}}, "left_motor"),
        ({"left_elbow": {"force": 3.0}}, "nothing of five_bar with a force"),
        ({"left_motor": {"stroke": (1.0, 0.5)}}, "rising"),
        ({"left_motor": {"speed": -1.0}}, "positive"),
    ],
)
def test_bounds_that_cannot_be_meant(limits: object, said: str) -> None:
    with pytest.raises(gough.UsageError, match=said):
        gough.excitation(model_of("five_bar"), limits=limits)  # type: ignore[arg-type]


def test_the_narrower_bound_counts() -> None:
    c = problem_of("three_prs", limits={"leg0.slide": {"stroke": (-1.0, 0.4), "speed": 0.7}}).constraints
    bounds = {str(b): b for b in c.bounds}
    assert (bounds["leg0.slide stroke"].lower, bounds["leg0.slide stroke"].upper) == (0.0, 0.4)
    assert bounds["leg0.slide speed"].upper == 0.5 and bounds["leg0.slide speed"].source == "description"
