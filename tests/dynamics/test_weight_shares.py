"""Bodies of whose weight a share acts: all terms against energies with automatic differentiation, and MuJoCo's gravcomp."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from dynamics.test_any_mechanism import PEER_TOLERANCE, compare_motion, compare_reactions, compare_terms
from dynamics.test_flexible import FlexibleSubject, accepted, compare_dynamics
from dynamics.test_flexible import compare_terms as compare_flexible_terms
from dynamics.test_regrouping import compare_energies
from gough.robot import Body, dumps, loads
from laws.mechanisms import MechanismSubject
from laws.subjects import built, described
from reference.designs import design
from reference.designs.flexible import named_flexible
from reference.flexible.lagrange import FlexibleReference
from reference.peers.mujoco import MujocoPeer

SHARES = (0.0, 0.4, 1.0, -0.7, 1.6, 0.0)
"""In turn: floating, lightened, plain, lifted, heavier than it is."""


def shared(item: Any, count: list[int] | None = None) -> Any:
    """The description with these shares on its bodies, one after the other."""
    count = [0] if count is None else count
    if isinstance(item, Body):
        count[0] += 1
        return item.model_copy(update={"weight_share": SHARES[count[0] % len(SHARES)]})
    if isinstance(item, tuple):
        return tuple(shared(x, count) for x in item)
    if not hasattr(item, "model_copy"):
        return item
    parts = {
        name: getattr(item, name) for name in ("legs", "chain", "bodies", "body", "platform") if hasattr(item, name)
    }
    return item.model_copy(update={name: shared(x, count) for name, x in parts.items()})


class SharedSubject(MechanismSubject):
    """A mechanism with such bodies."""

    def __init__(self, robot: Any) -> None:
        self.name, self.robot = robot.name, shared(robot)
        self.model = built(self.robot)


class SharedFlexibleSubject(FlexibleSubject):
    """A mechanism with such bodies, some of which bend."""

    def __init__(self, name: str) -> None:
        self.robot = shared(named_flexible(name))
        self.model = built(self.robot)
        self.reference = FlexibleReference(self.robot, list(self.model.layout.v_names))


FAMILIES = ("tripod", "chain_closed", "coupled_tree")
MORE = tuple(pytest.param(family, marks=pytest.mark.slow) for family in ("generic", "odd_joints", "planar"))


@pytest.mark.parametrize("family", [*FAMILIES, *MORE])
def test_any_mechanism(family: str) -> None:
    """A platform that carries a wrist; a loop in space; a tree: inverse, forward, bias, energies, reactions."""
    s = SharedSubject(design(family, 0))
    compare_terms(s, s.reference, s.tolerance)
    compare_motion(s)
    compare_reactions(s)
    compare_terms(s, MujocoPeer(s.robot, list(s.model.layout.v_names)), lambda _: PEER_TOLERANCE)


def test_telescopic_legs() -> None:
    s = SharedSubject(design("ups", 0, telescopic=True))
    compare_terms(s, s.reference, s.tolerance)


@pytest.mark.parametrize("name", ["tripod+", pytest.param("legs_platform=", marks=pytest.mark.slow)])
def test_flexible(name: str) -> None:
    """What a flexible body weighs is spread over it, and so is its share; platform, wrist and a leg bend."""
    s = SharedFlexibleSubject(name)
    for x in s.states:
        condition = s.reference.condition(x.q)
        compare_flexible_terms(s, x, accepted(condition))
        compare_dynamics(s, x, condition)


def test_inertia_goes_only_where_the_same_share_acts() -> None:
    """Flexible links fixed to rigid ones, and rigid ones on turning links."""
    compare_energies(built(shared(described("dualemps"))))


ARM = """
format: 2
name: arm
variables: {carried: 0.6}
bodies:
  - {name: upper, mass: 2, center_of_mass: [0.3, 0.1, 0], weight_share: 1 - carried}
  - {name: lower, mass: 1, center_of_mass: [0.2, 0, 0.1], weight_share: 0}
  - {name: hand, mass: 0.5, center_of_mass: [0.1, 0, 0], weight_share: 1}
joints:
  - {name: a, type: revolute, axis: [0, 1, 0], parent: world, child: upper, drive: {}}
  - {name: b, type: revolute, axis: [0, 1, 0], parent: upper, child: lower, pose: {position: [0.6, 0, 0]}, drive: {}}
  - {name: c, type: revolute, axis: [0, 1, 0], parent: lower, child: hand, pose: {position: [0.4, 0, 0]}, drive: {}}
"""


def test_a_share_is_a_number_of_the_design_unless_it_is_one() -> None:
    model = gough.build(loads(ARM))
    assert [n for n in model.parameter_names if "share" in n] == ["upper.weight_share", "lower.weight_share"]
    q = np.array([0.3, -0.4, 0.9])
    derivative = model.function("gravity_force", variables=True).derivative("variables")
    found = derivative(q=q, variables=np.array([0.6])).outputs
    np.testing.assert_allclose(np.ravel(next(iter(found.values()))), [2 * 9.81 * 0.3 * np.cos(q[0]), 0, 0], atol=1e-12)
    changed = model.parameters_with({"lower.weight_share": 0.5})
    with pytest.raises(gough.PatternError, match=r"lower\.weight_share"):
        model.gravity_force(q, parameters=changed)
    free = gough.build(loads(ARM), free=["lower.weight_share"])
    heavier = gough.build(loads(ARM.replace("weight_share: 0}", "weight_share: 0.5}")))
    np.testing.assert_allclose(free.gravity_force(q, parameters=changed), heavier.gravity_force(q), rtol=1e-14)
    plain = loads(ARM.replace("weight_share: 1}", "}"))
    assert plain.bodies == loads(ARM).bodies and loads(dumps(plain)) == plain


@pytest.mark.parametrize(
    ("written", "said"), [("500", "a share from -100 to 100"), ("2 kg", "number"), (".nan", "number")]
)
def test_what_is_no_share(written: str, said: str) -> None:
    with pytest.raises(gough.DescriptionError, match=rf"bodies\[1\]\.weight_share.*{said}"):
        loads(ARM.replace("weight_share: 0}", f"weight_share: {written}}}"))
    with pytest.raises(gough.DescriptionError, match="a key of format 2"):
        loads(
            ARM.replace("format: 2", "format: 1").replace("variables: {carried: 0.6}", "").replace("1 - carried", "0.5")
        )
