"""`gough show --axes`: where joints stand and how their axes point at home, beside the chain of a URDF multiplied out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from cli.command import gough, gough_json
from interchange.urdf_files import joint, link, robot, write

CHAIN = [
    ("a", "revolute", "base", "one", [0.1, 0.2, 0.3], [0.4, -0.7, 1.1], [0, 0, 1]),
    ("b", "prismatic", "one", "two", [0.3, -0.1, 0.2], [-1.2, 0.3, 0.5], [0, -1, 0]),
    ("c", "revolute", "two", "three", [-0.2, 0.5, 0.1], [0.9, 0.8, -2.0], [0.6, 0, -0.8]),
]


def told(x: list[float]) -> str:
    return " ".join(map(repr, x))


def test_axes_of_a_chain(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    limit = '<limit lower="-3" upper="3" effort="9" velocity="9"/>'
    parts = [link("base"), *(link(child, rng) for _, _, _, child, *_ in CHAIN)]
    for name, kind, parent, child, at, turned, axis in CHAIN:
        where = f'xyz="{told(at)}" rpy="{told(turned)}"'
        parts.append(joint(name, kind, parent, child, where, f'<axis xyz="{told(axis)}"/>{limit}'))
    file = write(tmp_path, robot(*parts))
    rows = {row["joint"]: row for row in gough_json("show", file, "--axes")["axes"]}
    R, p = np.eye(3), np.zeros(3)
    for name, _, _, _, at, turned, axis in CHAIN:
        p = p + R @ np.array(at)
        R = R @ Rotation.from_euler("xyz", turned).as_matrix()
        np.testing.assert_allclose(rows[name]["position"], p, atol=1e-12)
        np.testing.assert_allclose(rows[name]["axis"], R @ np.array(axis), atol=1e-12)
    assert list(rows) == ["a", "b", "c"] and all(row["closes"] is None for row in rows.values())
    assert "axes" not in gough_json("show", file)


def test_axes_of_legs_and_of_what_closes_them() -> None:
    """The arms of a Delta robot turn about tangents of the circle on which they stand; its balls have no axis of their own."""
    rows = gough_json("show", "delta", "--axes")["axes"]
    for k in range(3):
        (arm,) = [row for row in rows if row["joint"] == f"leg{k}.arm"]
        angle = 2 * np.pi * k / 3
        np.testing.assert_allclose(arm["axis"], [-np.sin(angle), np.cos(angle), 0], atol=1e-12)
    balls = [row for row in rows if row["closes"]]
    assert len(balls) == 6 and all(row["axis"] is None and row["closes"] == "spherical" for row in balls)
    out, _ = gough("show", "delta", "--axes")
    assert "joint at home, in the world" in out and "leg0.left_ball (closes a loop, spherical)" in out
