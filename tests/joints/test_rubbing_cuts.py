"""Friction of joints that slide where the loop is cut at them: as in the tree of the mechanism cut elsewhere, a block by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads
from inner.robot import change_friction
from laws.mechanisms import relative
from laws.rewriting import cut_elsewhere, opened_coordinate, read, second_form
from reference.designs.drawing import Draw
from reference.designs.spatial import spatial_loops

SHAPES = {"cylindrical": "RRUC", "planar": "RUL", "prismatic": "RUUP"}
ONE = {"viscous": 1.3, "coulomb": 0.8, "smoothing": 0.05}


def described(kind: str, seed: int, one: bool) -> dict[str, Any]:
    """A loop in space whose last joint of the tree is of a kind, with friction in all its freedoms."""
    draw = Draw([815, seed])
    data = spatial_loops(draw, f"{kind}_{seed}", ((SHAPES[kind], "revolute"),))
    joint, count = data["joints"][-1], {"cylindrical": 2, "planar": 3, "prismatic": 1}[kind]
    joint.pop("spring", None)
    joint["friction"] = ONE if one or count == 1 else [draw.friction(2.0) for _ in range(count)]
    return second_form(read(data | {"format": 2}))


@pytest.mark.quick_cases("cylindrical-1-False", "prismatic-0-False", "cylindrical-1-True")
@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", SHAPES)
def test_as_in_the_tree(kind: str, seed: int, one: bool) -> None:
    data = described(kind, seed, one)
    joint, loop = data["joints"][-1], data["loops"][0]["name"]
    assert joint["type"] == kind
    names = [x["name"] for x in data["joints"] if "drive" in x]
    ours = gough.build(read(data), velocities=names)
    other = gough.build(read(cut_elsewhere(data, loop, joint["name"])), velocities=names)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        q, v, a = ours.integrate(ours.home, 0.1 * rng.normal(size=1)), rng.normal(size=1), rng.normal(size=1)
        poses = {"world": np.eye(4)}
        for body in (b["name"] for b in data["bodies"]):
            position, rotation = ours.frame_pose(q, body)
            poses[body] = np.block([[rotation, position[:, None]], [np.zeros((1, 3)), 1.0]])
        moved = other.home.copy()
        for k, label in enumerate(other.layout.q_names):
            if label in ours.layout.q_names:
                moved[k] = q[ours.layout.q_names.index(label)]
        moved[[n.startswith("turned") for n in other.layout.q_names]] = opened_coordinate(data, loop, poses)
        assert other.closure_error(moved) < 1e-10
        one_tau, two_tau = ours.inverse_dynamics(q, v, a).tau, other.inverse_dynamics(moved, v, a).tau
        assert relative(two_tau, one_tau) < 1e-10
        smooth = gough.build(change_friction(ours.robot, coulomb=0.0, viscous=0.0), velocities=names)
        assert relative(smooth.inverse_dynamics(q, v, a).tau, one_tau) > 1e-3  # it counts at all
        assert relative(other.forward_dynamics(moved, v, one_tau).vdot, a) < 1e-9
        assert relative(other.energies(moved, v).losses, ours.energies(q, v).losses) < 1e-10
        tree, cut = ours.joint_reactions(q, v, a), other.joint_reactions(moved, v, a)
        own = tree.joints[tree.joint_names.index(joint["name"])].reshape(2, 3)
        world = (poses[joint["child"]][:3, :3] @ own.T).T.ravel()
        assert relative(cut.cuts[cut.cut_names.index("recut")], world) < 1e-9


BLOCK = """
format: 1
name: block
gravity: [0, 0, 0]
bodies: [{name: crank, mass: 1e-9}, {name: rod, mass: 1e-9}, {name: block, mass: 2}]
joints:
  - {name: motor, type: revolute, axis: [0, 1, 0], parent: world, child: crank, drive: {}}
  - {name: pin, type: revolute, axis: [0, 1, 0], parent: crank, child: rod, pose: {position: [0.1, 0, 0]}}
  - {name: end, type: revolute, axis: [0, 1, 0], parent: rod, child: block, pose: {position: [0.4, 0, 0]}}
loops:
  - name: rail
    type: prismatic
    axis: [1, 0, 0]
    first: {body: world}
    second: {body: block}
    friction: {viscous: 30 N.s/m, coulomb: 5 N}
velocities: drives
home: {joints: {motor: -90 deg}}
"""


def test_a_block_on_a_rail_by_hand() -> None:
    model = gough.build(loads(BLOCK))
    q = model.configuration(drives=[-0.8])
    units = dict(zip(model.parameter_names, model.mechanism.table.units, strict=True))
    assert (units["rail.friction.viscous"], units["rail.friction.coulomb"]) == ("N s/m", "N")
    rate = 1.7
    above, along = 0.1 * np.sin(0.8), 0.1 * np.cos(0.8)  # the crank's tip, axis y turns x towards -z
    line = np.sqrt(0.4**2 - above**2)
    slope = above * (1 + along / line)  # dx/dq of x = cos(q) r + sqrt(l² - r² sin²(q)) at q = -0.8
    speed = slope * rate
    force = 30 * speed + 5 * np.sign(speed)
    still = gough.build(change_friction(model.robot, coulomb=0.0, viscous=0.0))
    found = model.inverse_dynamics(q, [rate], [0.0]).tau - still.inverse_dynamics(q, [rate], [0.0]).tau
    np.testing.assert_allclose(found, [force * slope], rtol=1e-9)
    np.testing.assert_allclose(model.energies(q, [rate]).losses, force * speed, rtol=1e-9)


def test_what_has_no_coordinate_of_its_own_is_still_refused() -> None:
    screw = BLOCK.replace("type: prismatic", "type: ball_screw\n    lead: 5 mm").replace(
        "viscous: 30 N.s/m, coulomb: 5 N", "viscous: 1"
    )
    with pytest.raises(gough.StructureError, match="friction in a ball_screw cut is not modelled"):
        gough.build(loads(screw))
