"""Regrouped inertia: the energy the described bodies have, less terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.dynamics.energies import energies
from gough.joints.motions import Translation
from gough.spatial import RigidInertia
from inner.dynamics import Numbers, regroup_inertia
from laws.subjects import built, described

ROBOTS = (
    "pedrammehr2012",
    "long2014_rigid",
    "three_rrr",
    "delta",
    "andrews",
    "fried",
    "ankle",
    "ups-0",
    "generic-1",
    "dualemps",
)


@pytest.mark.parametrize("name", ROBOTS)
def test_kinetic_energy_is_kept_and_potential_energy_but_for_a_constant(name: str) -> None:
    compare_energies(built(described(name)))


def compare_energies(model: Any) -> None:
    """The energies of the links are written without knowing how inertia was moved."""
    parameters = np.array(model.parameters, dtype=object)
    plain = Numbers(model.mechanism, parameters)
    moved = regroup_inertia(plain)
    rng = np.random.default_rng(0)
    q = np.stack([model.home, model.integrate(model.home, rng.normal(size=model.layout.nv), 0.05)])
    offsets = []
    for x in q:
        v = rng.normal(size=model.layout.nv)
        a, b = (energies(n, x.astype(object), v.astype(object)) for n in (plain, moved))
        assert b["kinetic"] == pytest.approx(a["kinetic"], rel=1e-10)
        assert b["losses"] == pytest.approx(a["losses"], rel=1e-12, abs=1e-14)
        offsets.append((a["potential"] - b["potential"], abs(a["potential"]) + 1.0))
    assert offsets[0][0] == pytest.approx(offsets[1][0], abs=1e-9 * offsets[0][1])


def test_a_flexible_link_fixed_to_a_rigid_one_is_one_body_with_it() -> None:
    """Its origin is then its parent's, and so is what it carries: tied frames stay where they are."""
    model = built(described("dualemps"))
    numbers = Numbers(model.mechanism, np.array(model.parameters, dtype=object))
    moved = regroup_inertia(numbers)
    links = model.mechanism.links
    assert {links[i].name for i in moved.moved} == {"link13", "link16", "link23"}
    for i, shift in moved.moved.items():
        parent = links[links[i].parent]
        assert moved.inertia(parent) is None and not np.any(moved.place(links[i])[1])
        tied = next(link for link in links if link.parent == i)
        R, p = numbers.place(links[i])
        there = p + R @ numbers.place(tied)[1]
        np.testing.assert_allclose((R @ moved.place(tied)[1]).astype(float), there.astype(float), rtol=1e-14)
        np.testing.assert_allclose((R @ shift).astype(float), p.astype(float), rtol=1e-14)


def test_something_moves_and_coordinate_dependent_inertia_stays() -> None:
    model = built(described("pedrammehr2012"))
    numbers = Numbers(model.mechanism, np.array(model.parameters, dtype=object))
    moved = regroup_inertia(numbers)
    upper = next(link for link in model.mechanism.links if link.name == "upper" or isinstance(link.motion, Translation))
    assert isinstance(moved.inertia(upper), RigidInertia)
    assert not np.any(moved.inertia(upper).tensor) and np.any(numbers.inertia(upper).tensor)  # type: ignore[union-attr]
    fried = built(described("fried"))
    numbers = Numbers(fried.mechanism, np.array(fried.parameters, dtype=object))
    for link in fried.mechanism.links:
        if link.telescopic is not None and link.ten is not None:
            ours, described_ = regroup_inertia(numbers).inertia(link), numbers.inertia(link)
            assert ours is not None and described_ is not None and (ours.tensor == described_.tensor).all()
