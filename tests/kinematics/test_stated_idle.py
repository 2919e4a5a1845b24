"""Idle freedoms that a description states: no warning, taken as named, moving as with all velocities named; others refused."""

import warnings

import numpy as np
import pytest

import gough
from dynamics.idle_robots import CART_POLE, RODS
from gough.robot import DescriptionError, dumps, loads

CRANE = CART_POLE.replace("format: 1", "format: 2").replace("velocities: [rail, swing]", "idle: [swing]")
HEXAPOD = "\n".join(line for line in RODS.read_text().splitlines() if not line.startswith("velocities"))
HEXAPOD = HEXAPOD.replace("format: 1", "format: 2")


def built(text: str) -> gough.Model:
    """Without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", gough.IdleWarning)
        return gough.build(loads(text))


def test_what_is_stated_is_not_told_and_moves_as_before() -> None:
    stated, named = built(CRANE), built(CART_POLE)
    assert stated.layout.v_names == named.layout.v_names == ("rail", "swing")
    assert stated.layout.idle_names == ("swing",)
    q, v = [0.1, 0.3], [0.4, -0.2]
    a, b = (model.inverse_dynamics(q, v, [1.0]) for model in (stated, named))
    np.testing.assert_array_equal(a.tau, b.tau)
    np.testing.assert_array_equal(a.idle_acceleration, b.idle_acceleration)


@pytest.mark.slow
def test_many_legs_are_named_by_one_star_which_the_warning_says() -> None:
    with pytest.warns(gough.IdleWarning, match=r'say `idle: \["leg\*\.knee_wz"\]`'):
        usual = gough.build(loads(HEXAPOD))
    starred = built(HEXAPOD + '\nidle: ["leg*.knee_wz"]\n')
    assert starred.layout == usual.layout
    with pytest.warns(gough.IdleWarning, match="leg1.knee_wz"):
        gough.build(loads(HEXAPOD + "\nidle: [leg0.knee_wz]\n"))


WHEELS = """
format: 2
name: wheels
bodies: [{name: arm, mass: 1}, {name: a, mass: 1, inertia: DISC}, {name: b, mass: 1, inertia: DISC}]
joints:
  - {name: motor, type: revolute, parent: world, child: arm, drive: {}}
  - {name: first, type: revolute, parent: arm, child: a, pose: {position: [0.1, 0, 0]}}
  - {name: second, type: revolute, parent: arm, child: b, pose: {position: [0.3, 0, 0]}}
couplings: [{type: mimic, joint: second, of: first, ratio: 0.5}]
""".replace("DISC", "{about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.02}")


@pytest.mark.parametrize("rate", ["first", "second"])
def test_a_rate_is_taken_where_another_would_do(rate: str) -> None:
    model = built(WHEELS + f"idle: [{rate}]\n")
    assert model.layout.idle_names == (rate,)
    with pytest.raises(gough.StructureError, match=r"idle names (second|first), which moves only with .* beside it"):
        gough.build(loads(WHEELS + "idle: [first, second]\n"))


@pytest.mark.parametrize("text", [CRANE, CRANE.replace("[swing]", '["sw*"]')])
def test_written_back(text: str) -> None:
    robot = loads(text)
    assert robot.idle == ("swing",)
    assert loads(dumps(robot)) == robot
    assert dumps(robot).startswith("format: 2")


@pytest.mark.parametrize(
    ("idle", "message"),
    [
        ("[rail]", r"idle\[0\]: 'rail' is driven, and so not idle"),
        ("[swnig]", r"idle\[0\]: no rate 'swnig' \(got 'swnig'; expected 'swing'\)"),
        ('["rail*"]', r"idle\[0\]: no rate of a passive joint is called 'rail\*'"),
        ("[swing, swing]", r"idle\[1\]: .*used twice"),
        ("[]", r"idle: not a list of idle freedoms"),
        ("meant", r"idle: not a list of idle freedoms"),
        ("[3]", r"idle\[0\]: not a text"),
    ],
)
def test_what_cannot_be_idle_is_refused(idle: str, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        loads(CRANE.replace("[swing]", idle))
    with pytest.raises(DescriptionError, match="a key of format 2"):
        loads(CRANE.replace("format: 2", "format: 1"))


def test_what_is_not_idle_is_refused_when_it_is_known() -> None:
    driven = """
format: 2
name: slider_crank
bodies: [{name: crank, mass: 1}, {name: rod, mass: 1}, {name: block, mass: 1}]
joints:
  - {name: motor, type: revolute, axis: [0, 1, 0], parent: world, child: crank, drive: {}}
  - {name: pin, type: revolute, axis: [0, 1, 0], parent: crank, child: rod, pose: {position: [0.1, 0, 0]}}
  - {name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: block}
loops: [{name: end, type: revolute, axis: [0, 1, 0], first: {body: rod, pose: {position: [0.4, 0, 0]}}, second: {body: block}}]
home: {joints: {motor: 50 deg}}
idle: [pin]
"""
    with pytest.raises(
        gough.StructureError, match=r"idle names pin, which moves only with the drives.*idle is nothing here"
    ):
        gough.build(loads(driven))
