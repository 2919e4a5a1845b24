"""`gough.load` and `gough.build` take any file that holds a robot."""

import time

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from interchange.urdf_files import LIMIT, PLUS, arm, four_bar, joint, link, robot, write


def test_formats_by_suffix_and_by_root(tmp_path):
    assert gough.load(write(tmp_path, arm(), "a.URDF")).name == "an_arm_7"
    assert gough.load(write(tmp_path, arm(), "a.xml")).name == "an_arm_7"
    with pytest.raises(UsageError, match="<html>"):
        gough.load(write(tmp_path, "<html/>", "b.xml"))
    for name in ("a.urdf.xacro", "a.xacro"):
        with pytest.raises(UsageError, match="xacro a"):
            gough.load(write(tmp_path, arm(), name))


def test_files_that_are_not_there(tmp_path):
    for name in ("none.urdf", "none.xml"):
        with pytest.raises((FileNotFoundError, gough.DescriptionError)):
            gough.load(tmp_path / name)


DESCRIBED = [{"loops": "a"}, {"platform": "p"}, {"drives": "a"}, {"packages": ["."]}, {"closure_tolerance": 1e-6}]


@pytest.mark.parametrize("option", DESCRIBED)
def test_descriptions_say_these_themselves(option):
    with pytest.raises(UsageError, match="is for files of other programs"):
        gough.load("lopes", **option)


def test_build_takes_a_path(tmp_path):
    model = gough.build(write(tmp_path, four_bar(PLUS.replace("<loop", "<loop"))), velocities=["motor"])
    assert model.mobility == 1


def test_loops_that_do_not_quite_fit_may_be_allowed(tmp_path):
    """Pins 20 µm beside each other along their axis: allowed, it is the robot that fits, to the share of the misfit."""
    exact = gough.build(gough.load(write(tmp_path, four_bar(PLUS)), drives="motor"))
    file = write(tmp_path, four_bar(PLUS.replace("-0.02", "-0.02002")), "rounded.urdf")
    with pytest.raises(gough.StructureError, match=r"pin stays 0\.02 mm apart.*--closure-tolerance 4e-05`.*=4e-05\)"):
        gough.build(gough.load(file, drives="motor"))
    said = write(tmp_path, "closure_tolerance: 1 um\n", "tight.yaml")
    assert gough.load(file, loops=said).closure_tolerance == 1e-6
    robot = gough.load(file, drives="motor", loops=said, closure_tolerance="0.04 mm")
    assert robot.closure_tolerance == 4e-5
    loose = gough.build(robot)
    q = [m.configuration(drives=[0.2]) for m in (exact, loose)]
    tau = [m.inverse_dynamics(x, [0.4], [1.0]).tau for m, x in zip((exact, loose), q, strict=True)]
    np.testing.assert_allclose(*tau, rtol=1e-3)


@pytest.mark.parametrize("wrong", [0, -1e-6, np.nan, np.inf, "1 kg", "wide", True])
def test_a_tolerance_is_a_positive_length(tmp_path, wrong):
    with pytest.raises(UsageError, match=r"closure_tolerance=.*a positive, finite length: a number of metres"):
        gough.load(write(tmp_path, four_bar(PLUS)), closure_tolerance=wrong)


@pytest.mark.parametrize(
    "wrong", [{"packages": "meshes"}, {"packages": [3]}, {"platform": 3}, {"drives": [1.0]}, {"loops": 5}]
)
def test_wrong_arguments_are_named(tmp_path, wrong):
    (name,) = wrong
    with pytest.raises(UsageError, match=f"load: {name}=.*; expected "):
        gough.load(write(tmp_path, four_bar(PLUS)), **wrong)


def test_the_written_description_is_the_same_robot(tmp_path):
    made = gough.load(write(tmp_path, four_bar(PLUS)), drives="motor")
    again = gough.robot.loads(gough.robot.dumps(made))
    models = [gough.build(r) for r in (made, again)]
    q = [m.configuration(drives=[0.3]) for m in models]
    np.testing.assert_array_equal(q[0], q[1])
    tau = [m.inverse_dynamics(x, [0.4], [1.0]).tau for m, x in zip(models, q, strict=True)]
    np.testing.assert_allclose(*tau, rtol=1e-12)


def chain(count):
    rng = np.random.default_rng(1)
    links = [link(f"l{k}", rng) for k in range(count)]
    joints = [
        joint(
            f"j{k}",
            "revolute",
            f"l{k // 2}",
            f"l{k + 1}",
            'xyz="0 0.1 0.2" rpy="0.1 0.2 0.3"',
            LIMIT + '<axis xyz="1 0 1"/>',
        )
        for k in range(count - 1)
    ]
    return robot(*links, *joints)


def test_130_links_are_read_in_less_than_a_second(tmp_path):
    file = write(tmp_path, chain(130))
    gough.load(write(tmp_path, chain(3), "small.urdf"))
    start = time.perf_counter()
    assert len(gough.load(file).bodies) == 130
    assert time.perf_counter() - start < 1.0
