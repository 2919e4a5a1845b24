"""Configurations made one at a time, by machine code, are those of batches: poses, drives, steps, projections; bad ones too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from laws.subjects import built, described

ROBOTS = [
    "pedrammehr2012",
    "lopes",
    "delta",
    "five_bar",
    "three_rrr",
    "tripod_wrist",
    *(
        pytest.param(n, marks=pytest.mark.slow)
        for n in (
            "fried",
            "generic-0",
            "ups-1",
            "pus-0",
            "sliding_cuts-0",
            "planar-0",
            "tripod-0",
            "dualemps",
            "delta_flexible",
            "long2014",
            "ankle",
            "redundant_planar",
            "spin_up_beam",
            "hexapod_flexible",
        )
    ),
]
WARM = 60
"""Calls after which all that is compiled is."""


class Case:
    def __init__(self, name: str) -> None:
        self.model = m = built(described(name))
        rng = np.random.default_rng(5)
        unit = np.where(np.array(m.layout.v_units) == "m/s", m.size, 1.0)
        unit[m.layout.mobility :] = 1e-4
        self.steps = 0.02 * unit * rng.uniform(-1, 1, (12, m.layout.nv))
        self.q = m.integrate(m.home, self.steps)
        self.far = 0.4 * unit * rng.uniform(-1, 1, (12, m.layout.nv))
        for k in range(WARM):
            for call in CALLS.values():
                call(m, self.q[k % 12].copy(), self.steps[k % 12])


def at_pose(m: gough.Model, q: np.ndarray, step: np.ndarray) -> Any:
    return m.configuration(pose=q[..., :7]) if m.mechanism.has_platform and m.mobility == 6 else q


CALLS = {
    "pose": at_pose,
    "drives": lambda m, q, step: m.configuration(drives=m.drives(q)),
    "near": lambda m, q, step: m.configuration(drives=m.drives(q), near=m.home if q.ndim == 1 else m.home[None]),
    "integrate": lambda m, q, step: m.integrate(q, step, 0.3),
    "project": lambda m, q, step: m.project(q + 1e-5),
}
_cases: dict[str, Case] = {}


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    if request.param not in _cases:
        _cases[request.param] = Case(request.param)
    return _cases[request.param]


@pytest.mark.parametrize("case", ROBOTS, indirect=True)
@pytest.mark.parametrize("call", CALLS)
def test_same_as_batches(case: Case, call: str) -> None:
    m = case.model
    many = CALLS[call](m, case.q, case.steps)
    for k, (q, step) in enumerate(zip(case.q, case.steps, strict=True)):
        alone = CALLS[call](m, q.copy(), step.copy())
        assert alone.shape == many[k].shape
        np.testing.assert_allclose(alone, many[k], rtol=0, atol=2e-12 * m.size)
        assert m.closure_error(alone) < 1e-9


OF_RATES = {"vx": "x", "vy": "y", "vz": "z", "wx": "roll", "wy": "pitch", "wz": "yaw"}


def led_to(m: gough.Model, q: np.ndarray, step: np.ndarray) -> Any:
    """The first of v's own coordinates elsewhere than at home; the others stay."""
    name = OF_RATES.get(m.layout.v_names[0], m.layout.v_names[0])
    value = (m.home[2] if name == "z" else 0.0) + step[..., 0]
    return m.configuration(coordinates={name: value if step.ndim > 1 else float(value)}, near=m.home)


def result_of(call: Any, *given: Any) -> Any:
    """The result, or the error's text as it is for one state."""
    try:
        return call(*given)
    except gough.BadStateError as error:
        return str(error).replace(" (first at index 0)", "")


@pytest.mark.parametrize("case", ROBOTS, indirect=True)
def test_long_ways(case: Case) -> None:
    """Steps that must be limited lead to the assembly, or to the failure, of batches: by a step, to drives, to coordinates."""
    m = case.model
    calls = [lambda q, step: m.integrate(q, step), lambda q, step: led_to(m, q, step)]
    if m.mechanism.drives:
        home = m.drives(m.home)
        size = np.where(np.array(m.layout.drive_units) == "N", m.size, 1.0)
        calls.append(lambda q, step: m.configuration(drives=home + size * step[..., :1]))
    for _ in range(WARM):
        for call in calls:
            result_of(call, case.q[0], 0.1 * case.far[0])
    for q, step in zip(case.q, case.far, strict=True):
        for call in calls:
            alone, many = result_of(call, q, step), result_of(call, q[None], step[None])
            assert isinstance(alone, str) == isinstance(many, str)
            if isinstance(alone, str):
                assert alone == many
            else:
                np.testing.assert_allclose(alone, many[0], rtol=0, atol=2e-12 * max(m.size, 1.0))


@pytest.mark.parametrize("case", ["pedrammehr2012", "delta", "five_bar", "three_rrr"], indirect=True)
def test_bad_ones(case: Case) -> None:
    """Out of reach, not finite, of the wrong shape: as ever."""
    m, q = case.model, case.q[0]
    nothing, far = np.full(m.layout.nq, np.nan), m.drives(q) + 50 * m.size
    calls = [
        (lambda x: m.configuration(drives=x), far),
        (lambda x: m.configuration(drives=x), np.full(len(far), np.nan)),
        (lambda x: m.project(x), nothing),
        (lambda x: m.integrate(x, np.zeros(m.layout.nv)), nothing),
    ]
    if m.mechanism.has_platform:
        away, turned = q[:7].copy(), q[:7].copy()
        away[0] += 50 * m.size
        turned[3:] *= 1.1
        calls += [(lambda x: m.configuration(pose=x), pose) for pose in (away, turned, nothing[:7])]
    refused = 0
    for call, x in calls:
        found = []
        for given in (x, x[None]):
            try:
                found.append(call(given).round(6).reshape(-1).tolist())
            except gough.BadStateError as error:
                found.append(str(error).replace(" (first at index 0)", ""))
        assert found[0] == found[1]
        refused += isinstance(found[0], str)
    assert refused >= 3
    with pytest.raises(gough.UsageError):
        m.configuration(drives=np.zeros(len(far) + 1))
    with pytest.raises(gough.UsageError):
        m.integrate(q, np.zeros(m.layout.nv + 1))


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_other_assemblies_are_kept(case: Case) -> None:
    """A leg in another branch stays in it: the nearest joints are taken."""
    m, pose = case.model, case.q[0][:7]
    other = m.configuration(pose=pose, branch=(0, 1))
    for alone, many in (
        (m.project(other), m.project(other[None])[0]),
        (m.integrate(other, case.steps[1]), m.integrate(other[None], case.steps[1:2])[0]),
    ):
        np.testing.assert_allclose(alone, many, rtol=0, atol=1e-12)
    np.testing.assert_allclose(m.project(other), other, rtol=0, atol=1e-9)
