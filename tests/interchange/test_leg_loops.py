"""A leg whose serial joints carry planar loops, from a file of rounded angles: which joints and loops messages blame."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from inner.cli import app
from interchange.urdf_files import joint, link, robot, write

QUARTER = "1.5707963267948966"
EFFORT = '<limit lower="-3" upper="3" effort="20" velocity="4"/>'
Z, Y, X = '<axis xyz="0 0 1"/>', '<axis xyz="0 -1 0"/>', '<axis xyz="1 0 0"/>'


def bars(ground: str, prefix: str, turned: str, elbow: str = Y) -> list[str]:
    """A four-bar in the x-y plane of a link, its coupler's frame turned about x by an angle of which a quarter turn is meant."""
    rng = np.random.default_rng(4)
    return [
        *(link(f"{prefix}_{name}", rng) for name in ("crank", "coupler", "rocker")),
        joint(f"{prefix}_motor", "revolute", ground, f"{prefix}_crank", "", Z + EFFORT),
        joint(
            f"{prefix}_elbow",
            "continuous",
            f"{prefix}_crank",
            f"{prefix}_coupler",
            f'xyz="0.2 0 0" rpy="{turned} 0 0"',
            elbow,
        ),
        joint(f"{prefix}_heel", "continuous", ground, f"{prefix}_rocker", 'xyz="0.45 0 0"', Z),
    ]


def loop(prefix: str, kind: str) -> str:
    """The coupler's end on the rocker's, whose z axis the coupler's frame has as -y."""
    turned = f", rpy_zyx: [0, 0, -{QUARTER} rad]"
    first = f"{{body: {prefix}_coupler, pose: {{position: [0.5 m, 0 m, 0 m]{turned}}}}}"
    return (
        f"  - {{name: {prefix}_pin, type: {kind}, first: {first}, "
        f"second: {{body: {prefix}_rocker, pose: {{position: [0.4 m, 0 m, 0 m]}}}}}}\n"
    )


def home(*prefixes: str) -> str:
    told = ", ".join(f"{p}_motor: 60 deg, {p}_elbow: 35 deg, {p}_heel: 75 deg" for p in prefixes)
    return f"home: {{joints: {{{told}}}}}\n"


def serial(folder: Path, *parts: str) -> Path:
    chain = [link("trunk"), link("hip"), link("thigh")]
    hinges = [
        joint("haa", "revolute", "trunk", "hip", 'rpy="0.3 0.1 0"', X + EFFORT),
        joint("hfe", "revolute", "hip", "thigh", 'xyz="0.1 0 0"', '<axis xyz="0 1 0"/>' + EFFORT),
    ]
    return write(folder, robot(*chain, *hinges, *parts))


def refused(file: Path, beside: Path, **options: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(gough.StructureError) as problem:
            gough.build(gough.load(file, loops=beside, **options))
    return str(problem.value)


def test_serial_joints_above_a_loop_are_not_said_to_move_nothing(tmp_path: Path) -> None:
    file = serial(tmp_path, *bars("thigh", "knee", QUARTER))
    beside = write(
        tmp_path, f"loops:\n{loop('knee', 'revolute')}drives: [haa, hfe, knee_motor]\n{home('knee')}", "l.yaml"
    )
    found = CliRunner().invoke(app, ["check", str(file), "--loops", str(beside)])
    assert found.exit_code == 0 and "3 freedoms" in found.output
    assert "moves no loop" not in found.output


def across(folder: Path, off: float = 0.0) -> tuple[Path, Path]:
    """The elbow's axis along x: across its loop. off (m): of the rocker's end out of the plane."""
    file = serial(folder, *bars("thigh", "knee", "1.5708", X))
    at = home("knee").replace("35", "0")
    pin = loop("knee", "revolute").replace("[0.4 m, 0 m, 0 m]", f"[0.4 m, 0 m, {off} m]")
    text = f"loops:\n{pin}drives: [haa, hfe, knee_motor]\n{at}"
    return file, write(folder, text, "l.yaml")


ODD = "the axis of knee_elbow is not parallel to the others of loop knee_pin, which all are"


def test_a_locked_drive_is_told_with_its_loop_and_the_odd_axis(tmp_path: Path) -> None:
    told = refused(*across(tmp_path), closure_tolerance=1e-3)
    assert "cannot move: knee_motor" in told and "locks it: knee_pin" in told and ODD in told
    assert told.index(ODD) < told.index("An axis or a placement") < told.index("or drive another joint")


def test_an_odd_axis_is_told_before_a_tolerance(tmp_path: Path) -> None:
    told = refused(*across(tmp_path, 2e-6))
    assert "knee_pin stays" in told
    assert told.index(ODD) < told.index("If that axis is meant") < told.index("closure_tolerance")


def test_only_axes_of_the_loop_that_fails_are_named(tmp_path: Path) -> None:
    """The loop that a ball closes is out of parallel by 20 times more, and closes."""
    file = serial(tmp_path, *bars("thigh", "knee", "1.5708"), *bars("thigh", "ankle", "1.571"))
    loops = loop("knee", "revolute") + loop("ankle", "spherical")
    drives = "drives: [haa, hfe, knee_motor, ankle_motor]\n"
    beside = write(tmp_path, f"loops:\n{loops}{drives}{home('knee', 'ankle')}", "l.yaml")
    told = refused(file, beside)
    named = re.search(r"the axes of (\w+) and (\w+) are ([\d.e-]+) deg out of parallel", told)
    assert named is not None and "knee_pin stays" in told
    assert {named[1], named[2]} <= {"knee_motor", "knee_elbow", "knee_heel"}
    assert float(named[3]) == pytest.approx(np.degrees(1.5708 - np.pi / 2), rel=1e-2)
