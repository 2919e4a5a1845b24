"""Designs that promise most, where what is to be forecast is known in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inner.studies import KnownDesigns, ParetoFront
from studies.study.robots import slider_study


def kept(study: Any, x: np.ndarray) -> dict[str, np.ndarray]:
    """Parts whose way is 2 r, as it is, and whose torque is invented: 3 + 5 r - 4 l."""
    values = np.stack([2 * x[:, 0], 3 + 5 * x[:, 0] - 4 * x[:, 1]], axis=1)
    none = np.zeros(len(x))
    return {"x": x, "values": values, "constraints": study.evaluator.constraint_values(values), "violation": none}


@pytest.mark.parametrize("steps", [False, True])
def test_what_is_chosen_is_farthest_before_the_front(steps: bool) -> None:
    """Linear measures are forecast without error; variables with steps do not span neighbourhoods."""
    study = slider_study(maximise="way", constraints={"way": {"at_most": 0.36}})
    rng, low, high = np.random.default_rng(5), np.array([0.05, 0.25]), np.array([0.2, 0.6])
    x = low + rng.random((60, 2)) * (high - low)
    if steps:
        x[:, 1] = 0.3 + 0.01 * (x[:, 1] > 0.4)
    known = KnownDesigns(study.evaluator)
    known.add(kept(study, x))
    known.add(kept(study, x))  # again, and what is no robot
    known.add(kept(study, x[:4]) | {"violation": np.ones(4), "values": np.full((4, 2), np.nan)})
    assert len(known.x) == 60
    front = ParetoFront.empty(2, 2, 1, 2)
    some = kept(study, np.array([[0.06, 0.30], [0.10, 0.301]]))
    front = type(front)(front.designs, study.evaluator.objective_values(some["values"]))
    candidates = np.array([[0.06, 0.30], [0.19, 0.305], [0.11, 0.304], [0.175, 0.309], [0.07, 0.302], [0.172, 0.309]])
    rows = [
        next(k for k, c in enumerate(candidates) if np.array_equal(c, got))
        for got in known.choose(front, candidates, 4)
    ]
    # by hand: objectives are (3 + 5 r - 4 l, -2 r), of the front (2.1, -0.12) and (2.296, -0.2): its size is (0.196, 0.08)
    wanted: list[int] = []
    stand = [(2.1, -0.12), (2.296, -0.2)]
    for _ in range(4):
        promise = {
            k: min(max((a - 3 - 5 * r + 4 * l) / 0.196, (b + 2 * r) / 0.08) for a, b in stand)
            for k, (r, l) in enumerate(candidates.tolist())
            if k not in wanted and 2 * r <= 0.36
        }
        wanted.append(max(promise, key=lambda k: promise[k]))
        r, l = candidates[wanted[-1]]
        stand.append((3 + 5 * r - 4 * l, -2 * r))
    assert wanted[0] == 3 and 1 not in wanted
    assert rows[0] == 3 and 1 not in rows
    assert steps or rows == wanted


def test_the_first_ones_where_little_is_known() -> None:
    study = slider_study(maximise="way")
    known, front = KnownDesigns(study.evaluator), ParetoFront.empty(2, 2, 0, 2)
    candidates = np.random.default_rng(0).random((7, 2))
    np.testing.assert_array_equal(known.choose(front, candidates, 3), candidates[:3])
