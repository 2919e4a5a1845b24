"""Whatever stands at any place of a file, the answer is a robot or a DescriptionError with lines, never a crash."""

import copy
from typing import Any

import pytest

from gough.robot import dumps, loads
from robot.documents import problems, text, tree
from robot.forms import FORMS, form

pytestmark = pytest.mark.filterwarnings("ignore::gough.robot.UnphysicalInertiaWarning")

JUNK: list[Any] = [None, True, -1, 0, 3.5, float("nan"), float("inf"), 10**400, "on", "12 mm", "30 deg", "", [], {}]
JUNK += [[1, 2, 3], [[1, 0], [0, 1]], {"a": 1}, {"name": "hip"}, ["a", "b", "c"], [{}], {"position": 5}]


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *[place for key, value in inner for place in places(value, (*path, key))]]


@pytest.mark.quick_cases("0", "2")
@pytest.mark.parametrize("part", range(6))
def test_junk(part, rng):
    spoil(tree(), rng)


@pytest.mark.quick_cases("varied-0", "delta-0", "effects-0", "mixed-0", "geared-0", "five_bar-0")
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("name", FORMS)
def test_junk_in_other_forms(name, part, rng):
    spoil(form(name), rng)


def spoil(base, rng):
    """Put junk in places of a description, one at a time."""
    everywhere = [place for place in places(base) if place]
    for index in rng.permutation(len(everywhere))[:15]:
        data = copy.deepcopy(base)
        *heads, last = everywhere[index]
        node = data
        for step in heads:
            node = node[step]
        node[last] = JUNK[rng.integers(len(JUNK))]
        found = problems(text(data))
        assert all(problem.line and problem.path for problem in found), found
        if not found:
            robot = loads(text(data))
            assert loads(dumps(robot)) == robot
