"""Every peer gives the library's numbers where it solves the same problem, and is named where it does not.

MuJoCo and Pinocchio share no code with the library beyond the structure of the tree; CasADi and JAX run its programs.
"""

import numpy as np
import pytest

from bench.cases import bare_model, case
from gough_bench.measure import check
from gough_bench.mujoco_peer import MuJoCo
from gough_bench.ours import OurC
from gough_bench.pinocchio import PinocchioPython
from gough_bench.program_peers import CasadiC, CasadiMachine, Jax
from gough_bench.tree import Tree
from inner.robot import bodies

ROBOTS = ("pedrammehr2012", "lopes", "five_bar")


@pytest.mark.parametrize("robot", ROBOTS)
def test_pinocchio_has_our_accelerations(robot):
    line = check(PinocchioPython(), case(robot, "forward_dynamics"))
    assert line.reason == "" and line.difference < 1e-9


@pytest.mark.parametrize("robot", ROBOTS)
def test_mujoco_has_our_accelerations_to_its_softness(robot):
    line = check(MuJoCo(), case(robot, "forward_dynamics"))
    assert line.reason == "" and line.difference < 1e-3


@pytest.mark.parametrize("robot", ROBOTS)
def test_mujoco_has_no_drive_forces_of_closed_loops(robot):
    line = check(MuJoCo(), case(robot, "inverse_dynamics"))
    assert line.reason.startswith("wrong answer") and line.difference > 0.1 and line.seconds == []


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        (kind, name)
        for kind in (CasadiMachine, CasadiC, OurC)
        for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix")
    ]
    + [pytest.param(Jax, name, marks=pytest.mark.slow) for name in ("drive_map", "inverse_dynamics")],
)
def test_other_runs_of_the_same_program(kind, function):
    peer = kind()
    line = check(peer, case("lopes_simplified", function))
    assert line.reason == peer.available()  # nothing but what is not installed keeps it out
    if not line.reason:
        assert line.difference < 1e-9
        assert peer.seconds(1e-4) > 0
    peer.close()


def test_what_a_peer_does_not_have_is_said():
    assert "inertia that depends on a joint" in PinocchioPython().prepare(case("fried", "forward_dynamics"))
    assert check(PinocchioPython(), case("lopes", "inverse_dynamics")).reason == "does not have inverse_dynamics"


@pytest.mark.parametrize("robot", ["pedrammehr2012", "delta", "andrews"])
def test_tree_keeps_the_mass(robot):
    model = bare_model(robot)
    tree = Tree(model)
    described = sum(body.central_inertia()[0] for body in bodies(model.robot).values())
    assert np.isclose(sum(j.mass for j in tree.joints), described)
    assert all(j.parent < k for k, j in enumerate(tree.joints, start=1))
