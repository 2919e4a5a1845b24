"""The Orthoglide: slides from spheres, an isotropic middle, the speeds it was designed for, pairs of bars for its guide."""

from __future__ import annotations

import itertools
import json
from functools import cache

import numpy as np

import gough
from gough.robot import loads
from inner.robot import document
from mechanisms.models import model
from reference.energies.lagrange import Reference

ROD = 0.2 / (1 / np.sqrt(6) + 1 / np.sqrt(18))
LOW, HIGH = -ROD / np.sqrt(18), ROD / np.sqrt(6)
WIDTH = 0.08
"""Between the two bars of a pair [m]."""


def slides(p: np.ndarray) -> np.ndarray:
    """(..., 3): the platform is on a sphere of the rod's length about a point of each slide, which is behind it."""
    across = (p**2).sum(-1, keepdims=True) - p**2
    return p + ROD - np.sqrt(ROD**2 - across)


def directions(p: np.ndarray) -> np.ndarray:
    """J (..., 3, 3), slide rates = J velocity: a rod's rate is 0 along itself."""
    across = (p**2).sum(-1, keepdims=True) - p**2
    J = p[..., None, :] / np.sqrt(ROD**2 - across)[..., :, None]
    J[..., np.arange(3), np.arange(3)] = 1.0
    return J


def poses(p: np.ndarray) -> np.ndarray:
    return np.concatenate([p, np.tile([1.0, 0, 0, 0], (len(p), 1))], axis=1)


def inside(n: int, seed: int = 1) -> np.ndarray:
    """(n, 3) points of the cube."""
    return np.random.default_rng(seed).uniform(LOW, HIGH, (n, 3))


def test_slides_and_their_speeds() -> None:
    m = model("orthoglide")
    assert (m.mobility, m.layout.v_names) == (3, ("vx", "vy", "vz"))
    p = inside(20)
    v = np.random.default_rng(2).normal(size=p.shape)
    q = m.configuration(pose=poses(p))
    np.testing.assert_allclose(m.drives(q), slides(p), rtol=0, atol=1e-13)
    np.testing.assert_allclose(m.drive_rates(q, v), np.einsum("nij,nj->ni", directions(p), v), rtol=0, atol=1e-12)
    back = m.configuration(drives=slides(p))
    np.testing.assert_allclose(back[:, :3], p, rtol=0, atol=1e-10)


def test_isotropic_in_the_middle() -> None:
    m = model("orthoglide")
    np.testing.assert_allclose(m.drive_map(m.home), np.eye(3), rtol=0, atol=1e-13)
    np.testing.assert_allclose(m.singularity(m.home).parallel, 1.0, rtol=1e-12)


def test_the_speeds_and_strokes_it_was_designed_for() -> None:
    """In the cube the platform is at most twice and at least half as fast as the slides; all of the stroke is used."""
    m = model("orthoglide")
    corners = np.array(list(itertools.product((LOW, HIGH), repeat=3)))
    p = np.concatenate([corners, inside(200)])
    q = m.configuration(pose=poses(p))
    factors = 1 / np.linalg.svd(np.swapaxes(m.drive_map(q), -1, -2), compute_uv=False)
    assert factors.min() > 0.5 - 1e-9 and factors.max() < 2 + 1e-9
    np.testing.assert_allclose([factors[0].max(), factors[7].min(), factors[7].max()], [2, 0.5, 2], rtol=1e-9)
    got = m.limit_margins(q)
    stroke = [k for k, name in enumerate(got.names) if "stroke" in name]
    assert got.margins[:, stroke].min() > -1e-12
    found = m.drives(q)
    low = m.drives(m.configuration(pose=poses(np.array([[LOW, 0, 0]]))))[0, 0]
    np.testing.assert_allclose([low, found.max()], [LOW, ROD - HIGH], rtol=0, atol=1e-12)


@cache
def pairs() -> gough.Model:
    """The same robot with two bars a leg, each of half the mass, and nothing that guides the platform."""
    data = document(gough.load("orthoglide"))
    del data["platform"]["freedoms"]
    (template,) = data["templates"].values()
    (slide, foot), cut = template["chain"], template.pop("cut")
    moment, bars, loops = 0.35 * ROD**2 / 12, [], []
    for name, side in (("left", 0.5), ("right", -0.5)):
        at = {"position": [side * WIDTH, 0, 0]}
        bar = {"mass": 0.35, "center_of_mass": [0, 0, ROD / 2]}
        bar |= {"name": f"{name}_bar", "inertia": {"about": "center_of_mass", "xx": moment, "yy": moment}}
        bars.append(foot | {"name": name, "on": slide["name"], "pose": at, "body": bar})
        ends = {"first": {"body": f"{name}_bar", "pose": cut["on_leg"]}, "second": {"body": "platform", "pose": at}}
        loops.append({"name": f"{name}_ball", "type": "spherical", **ends})
    template |= {"chain": [slide, *bars], "loops": loops}
    for leg in data["legs"]:  # the bars of a pair stand side by side along x of the leg
        leg["on_platform"] |= {key: x for key, x in leg["base"].items() if key != "position"}
    return gough.build(loads(json.dumps(data)))


def test_a_rod_and_a_guide_for_a_pair_of_bars() -> None:
    """Positions, drive forces, inertia and energies are those of real parallelograms."""
    one, two = model("orthoglide"), pairs()
    assert two.layout.v_names == ("vx", "vy", "vz")
    rng, p = np.random.default_rng(3), inside(5, 3)
    v, a = rng.normal(size=(5, 3)), 10 * rng.normal(size=(5, 3))
    wrench = np.concatenate([rng.normal(size=(5, 3)) * 100, np.zeros((5, 3))], axis=1)
    q1, q2 = one.configuration(pose=poses(p)), two.configuration(pose=poses(p))
    np.testing.assert_allclose(two.drives(q2), one.drives(q1), rtol=0, atol=1e-12)
    for ours, theirs in (
        (one.inverse_dynamics(q1, v, a, wrench).tau, two.inverse_dynamics(q2, v, a, wrench).tau),
        (one.mass_matrix(q1), two.mass_matrix(q2)),
        (one.energies(q1, v).total, two.energies(q2, v).total),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * np.abs(theirs).max())


def test_forces_are_those_of_energies() -> None:
    m = model("orthoglide")
    reference = Reference(m.robot, m.layout.v_names)
    rng, p = np.random.default_rng(4), inside(3, 4)
    q = m.configuration(pose=poses(p))
    v, a, wrench = rng.normal(size=(3, 3)), 10 * rng.normal(size=(3, 3)), 50 * rng.normal(size=(3, 6))
    tau = m.inverse_dynamics(q, v, a, wrench).tau
    for k in range(3):
        needed = reference.inverse(q[k], v[k], a[k], wrench[k])
        np.testing.assert_allclose(tau[k], needed, rtol=0, atol=1e-11 * np.abs(needed).max())
        assert (
            np.abs(reference.mass_matrix(q[k]) - m.mass_matrix(q[k])).max() < 1e-11 * np.abs(m.mass_matrix(q[k])).max()
        )
