"""Studies on a cluster are those of one process, bit for bit; a killed run goes on where it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studies.study.robots import slider_study

KEPT = ("x", "values", "constraints", "violation")


@pytest.mark.slow
@pytest.mark.parametrize(
    "search",
    [
        {"method": "sobol", "count": 9000, "seed": 4},
        {"method": "gradient", "starts": 3},
        {"method": "evolution", "count": 120, "population": 40, "polish": 1},
    ],
)
def test_equal_bits(search: dict[str, object], tmp_path: Path) -> None:
    keys = {"maximise": "way", "search": search, "variables": {"crank": [0.05, 0.3], "rod": [0.25, 0.6]}}
    alone = slider_study(**keys).run()
    many = slider_study(**keys).run(tmp_path / "parts", cluster="local:2")
    again = slider_study(**keys).run(tmp_path / "parts")
    for other in (many, again):
        assert (other.designs, other.robots, other.feasible) == (alone.designs, alone.robots, alone.feasible)
        order = [np.lexsort(found.front.designs.x.T) for found in (alone, other)]
        for name in KEPT:
            a, b = (getattr(f.front.designs, name)[o] for f, o in zip((alone, other), order, strict=True))
            assert a.tobytes() == b.tobytes(), name
