"""Closed forms of legs with arms: RUS, planar RRR, Delta and R-U-U; truth by own kinematics, random tilted designs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from analysis.planar_designs import ThreeRRR, yaw
from inner.dynamics import Numbers, closed_form_kind

BRANCHES = list(product((0, 1), (0, 1)))


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    return Rotation.from_rotvec(np.asarray(axis) * angle).as_matrix()


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    return Rotation.from_quat(rng.normal(size=4)).as_matrix()


class Cranks:
    """Six RUS legs: arm about `axis`, offset `arm`, universal axes, rod `tip`; all placed at random."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 31])
        self.position, self.rotation = rng.uniform(-0.1, 0.1, 3) + [0, 0, 0.5], about(rng.normal(size=3), 0.2)
        self.legs = []
        for i in range(6):
            turn = np.pi / 3 * i
            foot = np.array([0.5 * np.cos(turn), 0.5 * np.sin(turn), 0.0]) + rng.uniform(-0.05, 0.05, 3)
            while True:  # until the rod pulls well across the arm's lever
                frame, axis = random_rotation(rng), random_rotation(rng)[:, 0]
                leg = {"foot": foot, "R": random_rotation(rng), "axis": axis, "axes": frame[:, :2]}
                across = np.cross(axis, rng.normal(size=3))
                leg |= {"arm": 0.2 * across / np.linalg.norm(across) + 0.05 * axis, "U": random_rotation(rng)}
                leg |= {"tip": frame[:, 2] * 0.5 + rng.uniform(-0.03, 0.03, 3), "angles": rng.uniform(-0.4, 0.4, 3)}
                moved = self.end(leg, leg["angles"] + [1e-6, 0, 0]) - self.end(leg, leg["angles"])
                rod = self.end(leg, leg["angles"]) - self.end({**leg, "tip": np.zeros(3)}, leg["angles"])
                if abs(moved @ rod) > 0.6e-6 * 0.5 * 0.2 and rod[2] > 0.2:
                    break
            leg["point"] = self.rotation.T @ (self.end(leg, leg["angles"]) - self.position)
            self.legs.append(leg)

    @staticmethod
    def end(leg: dict[str, Any], angles: np.ndarray) -> np.ndarray:
        """The rod's end in the world."""
        rod = about(leg["axes"][:, 0], angles[1]) @ about(leg["axes"][:, 1], angles[2]) @ leg["tip"]
        return leg["foot"] + leg["R"] @ about(leg["axis"], angles[0]) @ (leg["arm"] + leg["U"] @ rod)

    def robot(self) -> gough.Robot:
        legs, joints = [], {}
        for i, leg in enumerate(self.legs):
            motor = {"name": "motor", "type": "revolute", "axis": leg["axis"].tolist(), "drive": {}}
            elbow = {"name": "elbow", "type": "universal", "axes": leg["axes"].T.tolist(), "body": {"mass": 0.1}}
            elbow["pose"] = {"position": leg["arm"].tolist(), "matrix": leg["U"].tolist()}
            data = {"name": f"leg{i}", "base": {"position": leg["foot"].tolist(), "matrix": leg["R"].tolist()}}
            data |= {"on_platform": {"position": leg["point"].tolist()}}
            data |= {"chain": [{**motor, "body": {"mass": 0.2}}, elbow]}
            data |= {"cut": {"type": "spherical", "on_leg": {"position": leg["tip"].tolist()}}}
            legs.append(data)
            joints |= {f"leg{i}.motor": [leg["angles"][0]], f"leg{i}.elbow": leg["angles"][1:].tolist()}
        home = {"pose": {"position": self.position.tolist(), "matrix": self.rotation.tolist()}, "joints": joints}
        body = {"mass": 1.0, "inertia": {"about": "center_of_mass", "xx": 0.1, "yy": 0.1, "zz": 0.1}}
        return gough.Robot.model_validate({"name": "cranks", "platform": body, "legs": legs, "home": home})


def stepped(pose: np.ndarray, step: np.ndarray) -> np.ndarray:
    """A pose (7,) moved by a small shift and turn (6,) in world axes."""
    turned = Rotation.from_rotvec(step[3:]) * Rotation.from_quat(pose[3:], scalar_first=True)
    return np.concatenate([pose[:3] + step[:3], turned.as_quat(scalar_first=True)])


@pytest.mark.parametrize("seed", range(3))
def test_rus_legs_reach_in_every_branch(seed: int) -> None:
    design = Cranks(seed)
    model = gough.build(design.robot(), velocities="platform" if seed == 0 else "drives")
    assert list(model.geometry.kinds) == ["rus"] * 6 and model.geometry.by_legs == (seed == 0)
    np.testing.assert_allclose(model.home[7:].reshape(6, 3), [leg["angles"] for leg in design.legs], atol=1e-9)
    steps = np.random.default_rng(seed).uniform(-0.03, 0.03, (5, 6))
    poses = np.array([stepped(model.home[:7], step) for step in steps])
    for k, pose in enumerate(poses):
        R = Rotation.from_quat(pose[3:], scalar_first=True).as_matrix()
        found = []
        for branch in BRANCHES:
            q = model.configuration(pose, branch=branch, on_bad_state="mark")
            if not np.isfinite(q).all():
                continue
            found.append(q[7:].reshape(6, 3))
            for leg, angles in zip(design.legs, found[-1], strict=True):
                end = pose[:3] + R @ leg["point"]
                np.testing.assert_allclose(design.end(leg, angles), end, rtol=0, atol=1e-12)
        assert len(found) == 4, k
        turns = np.exp(1j * np.array(found))  # (4, 6, 3)
        for i, a in enumerate(turns):
            for b in turns[:i]:
                assert (np.abs(a - b).max(axis=1) > 1e-6).all()
    np.testing.assert_allclose(model.configuration(poses)[:, 7:], model.home[7:] + 0 * poses[:, :1], atol=1.0)


def test_a_crank_keeps_its_turns() -> None:
    """near= with a crank turned once more gives the same assembly, turned once more."""
    model = gough.build(Cranks(1).robot())
    pose = stepped(model.home[:7], np.full(6, 0.01))
    q = model.configuration(pose)
    near = model.home.copy()
    near[model.drive_index[2]] += 2 * np.pi
    turned = model.configuration(pose, near=near)
    change = np.zeros(len(q))
    change[model.drive_index[2]] = 2 * np.pi
    np.testing.assert_allclose(turned, q + change, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_planar_legs_have_two_elbows(seed: int) -> None:
    design = ThreeRRR.random(seed)
    model = gough.build(design.legs())
    assert list(model.geometry.kinds) == ["rrr"] * 3 and model.geometry.by_closed_legs and model.mobility == 3
    place = design.home[0] + [0.004, -0.003], design.home[1] + 0.01
    pose = design.world(place)
    seen = set()
    for elbows in product((0, 1), repeat=3):
        truth = design.drives(place, elbows)
        matches = []
        for bits in product((0, 1), repeat=3):
            q = model.configuration(pose, branch=[(b, 0) for b in bits])
            assert model.closure_error(q) < 1e-12
            if np.abs(np.exp(1j * model.drives(q)) - np.exp(1j * truth)).max() < 1e-9:
                matches.append(bits)
                np.testing.assert_array_equal(model.configuration(pose, branch=[(b, 1) for b in bits]), q)
                np.testing.assert_allclose(model.configuration(pose, near=q), q, atol=1e-12)
        assert len(matches) == 1
        seen.add(matches[0])
    assert len(seen) == 8
    q = model.configuration(pose)
    np.testing.assert_allclose(np.exp(1j * model.drives(q)), np.exp(1j * design.drives(place, (0, 0, 0))), atol=1e-9)


def test_poses_that_a_planar_platform_cannot_take_are_out_of_reach() -> None:
    design = ThreeRRR.random(0)
    model = gough.build(design.legs())
    position, rotation = design.world(design.home)
    normal = design.W[0][:, 2]
    lifted = (position + 0.01 * normal, rotation)
    tilted = (position, about(design.W[0][:, 0], 0.05) @ rotation)
    for pose in (lifted, tilted):
        result = model.assemble(pose, on_bad_state="mark")
        assert result.status == gough.Status.OUT_OF_REACH and "platform" in str(result.places)
        assert np.isnan(result.q[7:]).all()
    far = (position + 3.0 * design.W[0][:, 0], rotation)
    with pytest.raises(gough.BadStateError, match=r"OUT_OF_REACH at leg\d"):
        model.configuration(far)
    rounded = (position + 1e-9 * normal, rotation)  # a pose given with few digits is that of the plane next to it
    assert model.closure_error(model.configuration(rounded)) < 1e-10


def test_an_upside_down_platform_is_no_configuration() -> None:
    """Pins reversed: the points could meet in a symmetric robot, the axes cannot."""
    model = gough.build("three_rrr")
    flipped = ([0.0, 0.0, 0.0], np.diag([1.0, -1.0, -1.0]))
    assert model.assemble(flipped, on_bad_state="mark").status == gough.Status.OUT_OF_REACH


class Delta:
    """Three legs at random places about a tilted axis; form: pair (two rods), universal (one rod, R-U-U), single (R-U-S)."""

    def __init__(self, seed: int, form: str) -> None:
        rng = np.random.default_rng([seed, 77])
        self.form, self.tilt, self.P = form, random_rotation(rng), random_rotation(rng)
        self.turns = np.array([0.0, 2.1, 4.2]) + rng.uniform(-0.2, 0.2, 3)
        self.base, self.ball, self.arm, self.rod = 0.2, 0.06, rng.uniform(0.22, 0.28), rng.uniform(0.55, 0.65)
        self.home = np.array([0.02, -0.03, -0.5])

    def angles(self, place: np.ndarray, i: int) -> tuple[float, float]:
        """Both arm angles of leg i: x cos q - z sin q = k."""
        x, y, z = yaw(self.turns[i]).T @ place + [self.ball - self.base, 0, 0]
        k = (x * x + y * y + z * z + self.arm**2 - self.rod**2) / (2 * self.arm)
        middle, half = np.arctan2(-z, x), np.arccos(k / np.hypot(x, z))
        return middle + half, middle - half

    def pose(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.tilt @ place, self.tilt @ self.P

    def robot(self) -> gough.Robot:
        legs, joints = [], {}
        halves = {"left": 0.04, "right": -0.04} if self.form == "pair" else {"rod": 0.0}
        for i, turn in enumerate(self.turns):
            R = yaw(turn)
            base = {"position": (self.tilt @ R @ [self.base, 0, 0]).tolist(), "matrix": (self.tilt @ R).tolist()}
            ball = {"position": (self.P.T @ R @ [self.ball, 0, 0]).tolist(), "matrix": (self.P.T @ R).tolist()}
            chain: list[dict[str, Any]] = [{"name": "arm", "type": "revolute", "axis": [0, 1, 0], "drive": {}}]
            loops = []
            for name, half in halves.items():
                universal = {"name": name, "type": "universal", "axes": [[0, 1, 0], [1, 0, 0]], "on": "arm"}
                chain.append({**universal, "pose": {"position": [self.arm, half, 0.0]}})
                loops.append(
                    {
                        "name": f"{name}_end",
                        "type": "universal" if self.form == "universal" else "spherical",
                        "first": {"body": name, "pose": {"position": [0, 0, -self.rod]}},
                        "second": {"body": "platform", "pose": {"position": [0, half, 0]}},
                        **({"axes": [[1, 0, 0], [0, 1, 0]]} if self.form == "universal" else {}),
                    }
                )
            for joint in chain:
                joint["body"] = {"name": joint["name"], "mass": 0.2}
            legs.append({"name": f"leg{i}", "base": base, "on_platform": ball, "chain": chain, "loops": loops})
            joints[f"leg{i}.arm"] = [float(min(self.angles(self.home, i), key=np.sin))]
        position, rotation = self.pose(self.home)
        home = {"pose": {"position": position.tolist(), "matrix": rotation.tolist()}, "joints": joints}
        data = {"name": "tilted_delta", "platform": {"name": "platform", "mass": 1.0}, "legs": legs, "home": home}
        return gough.Robot.model_validate(data)


def test_rods_on_inclined_universal_cuts_have_no_closed_form() -> None:
    model = gough.build(Delta(0, "universal").robot())
    numbers = Numbers(model.mechanism, np.asarray(model.parameters, dtype=object))
    assert closed_form_kind(numbers, 0) == "ruu"
    cuts = tuple(replace(cut, angle=0) for cut in model.mechanism.cuts)
    inclined = Numbers(replace(model.mechanism, cuts=cuts), numbers.parameters)
    assert closed_form_kind(inclined, 0) is None


@pytest.mark.parametrize("form", ["pair", "universal"])
@pytest.mark.parametrize("seed", range(2))
def test_delta_legs_have_two_elbows(form: str, seed: int) -> None:
    design = Delta(seed, form)
    model = gough.build(design.robot())
    assert list(model.geometry.kinds) == ["delta" if form == "pair" else "ruu"] * 3
    assert model.geometry.by_closed_legs and model.mobility == 3
    place = design.home + [0.03, 0.05, -0.02]
    truth = np.exp(1j * np.array([design.angles(place, i) for i in range(3)]))  # (3, 2)
    seen = []
    for branch in BRANCHES:
        q = model.configuration(design.pose(place), branch=branch)
        assert model.closure_error(q) < 1e-12
        off = np.abs(np.exp(1j * model.drives(q))[:, None] - truth)
        assert off.min(axis=1).max() < 1e-9
        seen.append(tuple(off.argmin(axis=1)))
    assert seen[0] == seen[1] and seen[2] == seen[3] and all(a != b for a, b in zip(seen[0], seen[2], strict=True))
    near = model.configuration(design.pose(place), near=model.home)
    np.testing.assert_allclose(near, model.configuration(design.pose(place)), atol=1e-12)
    turned = (design.pose(place)[0], about(design.tilt[:, 0], 0.03) @ design.pose(place)[1])
    assert model.assemble(turned, on_bad_state="mark").status == gough.Status.OUT_OF_REACH


@pytest.mark.parametrize("rods", ["pair", "single"])
def test_library_deltas_use_closed_forms(rods: Any) -> None:
    sizes = {"base_radius": 0.12, "platform_radius": 0.05, "arm_length": 0.2, "rod_length": 0.5, "width": 0.1}
    body = {"mass": 0.8, "inertia": {"about": "center_of_mass", "xx": 1e-3, "yy": 1e-3, "zz": 2e-3}}
    model = gough.build(gough.robots.delta(**sizes, platform=body, home=[0.0, 0.0, -0.4], rods=rods))  # type: ignore
    assert list(model.geometry.kinds) == [{"pair": "delta", "single": "rus"}[rods]] * 3
    positions = np.random.default_rng(3).uniform([-0.08, -0.08, -0.47], [0.08, 0.08, -0.38], (40, 3))
    q = model.configuration((positions, np.broadcast_to(np.eye(3), (40, 3, 3))))
    assert model.closure_error(q).max() < 1e-12
    np.testing.assert_allclose(
        model.configuration(coordinates=dict(zip("xyz", positions.T, strict=True))), q, atol=1e-8
    )


def test_branch_without_closed_forms_is_refused() -> None:
    model = gough.build("tripod_wrist")
    assert None in model.geometry.kinds
    with pytest.raises(gough.UsageError, match="branch"):
        model.configuration(model.home[:7], branch=(0, 0))
