"""From the neutral form to a description: effects in their words, frames of moved bodies, problems where they are written."""

import numpy as np
import pytest

import gough
from gough.interchange import compose, findings, foreign

AT = foreign.Written("a.urdf", 7, "joint 'j'")


def robot(joint=None, body=None, **more):
    body = body or foreign.ForeignBody("b", foreign.Written("a.urdf", 3, "link 'b'"), 1.0)
    joint = joint or foreign.ForeignJoint("j", "revolute", "world", "b", AT)
    return foreign.ForeignRobot("R 2", "a.urdf", "URDF", (body,), (joint,), **more)


def composed(made, **choices):
    return compose.compose(made, compose.Choices(**choices), findings.Findings())


def joint(**effects):
    return foreign.ForeignJoint("j", "revolute", "world", "b", AT, effects=foreign.Effects(**effects))


def test_effects_of_driven_and_passive_joints():
    own = {"armature": 0.1, "viscous": 0.2, "coulomb": 0.3, "lower": -1.0, "upper": 2.0, "speed": 4.0, "force": 5.0}
    driven = composed(robot(joint(**own, rotor_inertia=1e-3, gear=10.0))).joints[0]
    assert driven.drive is not None and driven.drive.stroke == (-1.0, 2.0)
    assert (driven.drive.force_limit, driven.drive.rotor_inertia, driven.drive.gear) == (5.0, 1e-3, 10.0)
    passive = composed(robot(joint(**own, rotor_inertia=1e-3, gear=10.0)), drives=[]).joints[0]
    assert passive.drive is None
    assert (passive.armature, passive.friction.viscous, passive.limits.upper) == (0.1 + 0.1, 0.2, 2.0)
    sprung = composed(robot(joint(stiffness=3.0, rest=0.5))).joints[0]
    assert [getattr(sprung.spring, key) for key in ("stiffness", "rest")] == [3.0, 0.5]


def test_far_bounds_are_none():
    far = {"lower": -1e6, "upper": 2.0, "speed": np.inf, "force": 1e9}
    driven = composed(robot(joint(**far))).joints[0]
    assert driven.drive is not None
    assert (driven.drive.stroke, driven.drive.force_limit, driven.drive.speed_limit) == (None, None, None)
    assert (driven.limits.lower, driven.limits.upper) == (None, 2.0)
    near = composed(robot(joint(lower=-0.9e6, upper=0.9e6, force=2e6))).joints[0]
    assert near.drive is not None and (near.drive.stroke, near.drive.force_limit) == ((-0.9e6, 0.9e6), 2e6)


def test_a_body_whose_origin_is_not_at_its_joint_is_the_same_body(rng):
    turn = foreign.Placement((0.1, 0.2, 0.3), np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    inertia = np.diag([1.0, 2.0, 2.5])
    body = foreign.ForeignBody("b", AT, 2.0, (0.5, 0.0, 0.0), inertia, {"tool": foreign.Placement((1.0, 0.0, 0.0))})
    hinge = foreign.ForeignJoint("j", "revolute", "world", "b", AT, on_child=turn, axis=(0.0, 1.0, 0.0))
    made = composed(robot(hinge, body))
    own = made.bodies[0]
    np.testing.assert_allclose(own.center_of_mass, [0.4, -0.2, -0.3], atol=1e-15)
    model = gough.build(made)
    assert set(own.frames) == {"tool", "origin"}
    tool, origin = (model.frame_pose(model.home, f"b.{name}")[0] for name in ("tool", "origin"))
    np.testing.assert_allclose(np.linalg.norm(tool - origin), 1.0)
    axis = turn.rotation @ [0.0, 1.0, 0.0]  # the mass matrix: the moment about the axis through the joint
    arm = np.array([0.5, 0.0, 0.0]) - turn.position
    moment = axis @ inertia @ axis + 2.0 * np.linalg.norm(np.cross(axis, arm)) ** 2
    np.testing.assert_allclose(model.mass_matrix(model.home), [[moment]])


def test_names_gravity_choices_and_origin(tmp_path):
    made = composed(
        robot(gravity=(0.0, 1.0, 0.0), title="T", velocities=("j",), drive_sharing="least_norm"), platform="b"
    )
    assert (made.name, made.title, made.platform, made.velocities) == ("r_2", "T", "b", ("j",))
    assert (made.gravity, made.drive_sharing, made.file) == ((0.0, 1.0, 0.0), "least_norm", "a.urdf")
    assert made.source == {"file": "a.urdf", "format": "URDF"}


def test_faults_of_the_description_are_told_where_the_file_has_them():
    with pytest.raises(gough.DescriptionError) as found:
        composed(robot(joint(viscous=-1.0)))
    assert [(p.file, p.line, p.path) for p in found.value.problems] == [("a.urdf", 7, "joint 'j'.drive.viscous")]


def test_what_was_refused_comes_first():
    noted = findings.Findings()
    noted.refuse(AT, "no", "yes")
    with pytest.raises(gough.DescriptionError, match=r"a\.urdf:7: joint 'j': no \(expected yes\)"):
        compose.compose(robot(), compose.Choices(), noted)


def test_couplings_have_the_words_of_what_follows():
    bodies = tuple(foreign.ForeignBody(n, AT, 1.0) for n in "ab")
    joints = tuple(foreign.ForeignJoint(f"j-{n}", "revolute", "world", n, AT) for n in "ab")
    ties = [
        foreign.ForeignCoupling("tie", AT, {"j-a": 1.0, "j-b": -2.0}, 0.1, "j-a"),
        foreign.ForeignCoupling("tie", AT, {"j-a": 1.0, "j-b": -2.0}, 0.1),
    ]
    for tie, kind in zip(ties, ("mimic", "differential"), strict=True):
        made = composed(foreign.ForeignRobot("r", "f", "URDF", bodies, joints, (tie,)), drives=["j-b"])
        assert (made.couplings[0].type, made.couplings[0].name, made.couplings[0].offset) == (kind, "tie", 0.1)
        assert [(t.coordinate, t.coefficient) for t in made.couplings[0].terms] == [("j_a", 1.0), ("j_b", -2.0)]
