"""Names that are taken: one rule, told with the place in the file; and it knows everything that has a name."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gough
from gough.robot import DescriptionError, loads
from gough.robot.coordinates import ON_PLATFORM, PREFIXES, RESERVED, reserved_words

BODY = {"mass": 1.0, "inertia": {"about": "center_of_mass", "xx": 0.1, "yy": 0.1, "zz": 0.1}}


def carried(name: str, kind: str = "revolute") -> dict:
    """A platform on a slide, with one more joint under a name."""
    return {
        "format": 1,
        "name": "carried",
        "platform": "plate",
        "bodies": [BODY | {"name": "plate"}, BODY | {"name": "tool"}],
        "joints": [
            {"name": "lift", "type": "prismatic", "parent": "world", "child": "plate", "drive": {}},
            {"name": name, "type": kind, "parent": "plate", "child": "tool", "drive": {}},
        ],
        "home": {"pose": {"position": [0, 0, 0]}},
    }


@pytest.mark.parametrize("word", [w for w in reserved_words(True) if "." not in w])
def test_a_joint_is_not_called_as_something_else(word):
    with pytest.raises(DescriptionError) as caught:
        loads(json.dumps(carried(word), indent=1))
    problem = caught.value.problems[0]
    assert problem.path == "joints[1].name" and problem.line and word in problem.message
    assert "another name" in problem.expected


@pytest.mark.parametrize("word", ["x", "yaw", "wz", "mx", "pose"])
def test_words_of_a_platform_are_free_without_one(word):
    joint = {"name": word, "type": "revolute", "axis": [1, 0, 0], "parent": "world", "child": "tool", "drive": {}}
    document = {"format": 1, "name": "alone", "bodies": [BODY | {"name": "tool"}], "joints": [joint]}
    model = gough.build(loads(json.dumps(document)))
    np.testing.assert_allclose(model.configuration(coordinates={word: 0.3}), [0.3])
    np.testing.assert_allclose(model.integrate(model.home, [0.4]), [0.4])
    assert gough.workspace(model, {word: (-1, 1, 3)}).samples.names == (word,)


@pytest.mark.parametrize("word", ["world", "gravity"])
@pytest.mark.parametrize("part", ["bodies", "joints", "springs"])
def test_the_ground_is_the_ground(part, word):
    document = carried("turn")
    document["springs"] = [{"name": "tie", "from": {"body": "world"}, "to": {"body": "tool"}, "stiffness": 1.0}]
    document[part][-1]["name"] = word
    with pytest.raises(DescriptionError, match=word):
        loads(json.dumps(document))


def test_the_rate_of_another_joint_is_no_name_of_a_leg_joint():
    """Leg "v" with a joint "k" beside a joint "k" of its own: v.k would be two things."""
    leg = {
        "name": "v",
        "base": {"position": [1, 0, 0]},
        "chain": [
            {"name": "k", "type": "universal", "axes": [[1, 0, 0], [0, 1, 0]], "body": BODY | {"name": "rod"}},
            {"name": "s", "type": "prismatic", "drive": {}, "body": BODY | {"name": "tube"}},
        ],
        "cut": {"type": "spherical"},
    }
    leg["chain"][0] |= {"type": "revolute"}
    leg["chain"][0].pop("axes")
    document = carried("k") | {"legs": [leg]}
    with pytest.raises(DescriptionError, match="the rate of k"):
        loads(json.dumps(document))


def test_every_channel_of_a_run_is_known_to_the_rule():
    """The words are those that runs and states really have."""
    model = gough.build(loads(json.dumps(carried("turn"))))
    run = gough.simulate(model, duration=0.01)
    own = {*model.layout.q_names[7:], *model.layout.u_names[6:]}
    parts = {"plate", "tool", "lift", "turn", "energy", "work", *PREFIXES}
    for channel in run.channels():
        name = channel if isinstance(channel, str) else channel.name
        entries = () if isinstance(channel, str) else channel.entries
        for word in (name, *entries):
            known = word in own or word in RESERVED or word in ON_PLATFORM or word.split(".")[0] in parts
            assert known, word
