"""Total derivatives beside closed forms, and beside differences of descriptions that are built again."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads
from inner.model import tangent_derivative

MASS_ON_SPRING = """
format: 2
name: axis
variables: {k: 1000 N/m}
bodies: [{name: head, mass: 2.5}]
joints: [{name: x, type: prismatic, parent: world, child: head, axis: [1, 0, 0], spring: {stiffness: k}}]
velocities: [x]
"""
STEPS = (2e-4, 1e-4)


def built(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


def slope(f: Any, size: float) -> np.ndarray:
    """Central differences of two steps, extrapolated."""
    far, near = ((f(h * size) - f(-h * size)) / (2 * h * size) for h in STEPS)
    return (4 * near - far) / 3


def test_the_length_of_a_leg_by_its_ends() -> None:
    """l = |p + R b - a|: by a the leg's direction, away from it, where a coordinate is 0 and folded, too."""
    model = built("fried")
    q = model.sampled_states["q"][3]
    names = [f"leg2.hip.{axis}" for axis in "xyz"]
    found = gough.sensitivity(model, "coordinate", q, names)
    a = np.array([model.parameters[model.parameter_names.index(n)] for n in names])
    b_world = _ball(model, q, 2)
    direction = (b_world - a) / np.linalg.norm(b_world - a)
    assert found.names[2] == model.layout.drive_names[2]
    assert np.allclose(found.derivatives[2], -direction, atol=1e-12)
    assert np.abs(found.derivatives[[0, 1, 3, 4, 5]]).max() < 1e-15


def _ball(model: gough.Model, q: np.ndarray, leg: int) -> np.ndarray:
    """Where a leg meets the platform, in the world."""
    names = model.parameter_names
    own = np.array([model.parameters[names.index(f"leg{leg}.ball.on_platform.{axis}")] for axis in "xyz"])
    w, x, y, z = q[3:7]
    u = np.array([x, y, z])
    return q[:3] + own + 2 * np.cross(u, np.cross(u, own) + w * own)


def test_the_frequency_of_a_mass_on_a_spring() -> None:
    model = gough.build(loads(MASS_ON_SPRING))
    found = gough.sensitivity(model, "frequency", by=("k", "head.M"))
    f = np.sqrt(1000 / 2.5) / (2 * np.pi)
    assert np.allclose(found.values, f) and found.by_units == ("N/m", "kg")
    assert np.allclose(found.derivatives, [[f / 2000, -f / 5]], rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["five_bar", "three_prs", "orthoglide", "hobby_6rss"])
def test_forces_energies_and_reactions_of_robots_built_again(name: str) -> None:
    model = built(name)
    rng = np.random.default_rng(3)
    q, whole = model.sampled_states["q"][2], model.unlocked
    v, a = 0.3 * rng.normal(size=model.layout.nv), rng.normal(size=model.mobility)
    by = closable(model, q, rng, 6)

    def at(i: int, h: float) -> dict[str, np.ndarray]:
        p = model.parameters.copy()
        p[i] += h
        free = whole.with_(free=[model.parameter_names[i]]).unlocked if i in model.pattern else whole
        there = free.integrate(q, np.zeros(model.layout.nv), 1.0, parameters=p)
        r = free.joint_reactions(there, v, a, parameters=p)
        return {
            "tau": free.inverse_dynamics(there, v, a, parameters=p).tau,
            "energy:potential": np.atleast_1d(free.energies(there, v, parameters=p).potential),
            "reaction": np.concatenate([r.joints.ravel(), r.cuts.ravel()]),
            "coordinate": free.drives(there),
        }

    for quantity in ("tau", "energy:potential", "reaction", "coordinate"):
        found = gough.sensitivity(model, quantity, q, by, v=v, acceleration=a)
        rounding = 1e-5 * float(np.abs(found.values).max())  # of differences, where nothing depends on these numbers
        for name_of in by:
            i = model.parameter_names.index(name_of)
            truth = slope(lambda h, i=i, quantity=quantity: at(i, h)[quantity], 1.0)
            size = max(float(np.abs(found.derivatives).max()), rounding, 1e-9)
            assert np.abs(found[name_of] - truth).max() < 1e-6 * size, (quantity, name_of)


def closable(model: gough.Model, q: np.ndarray, rng: np.random.Generator, count: int) -> list[str]:
    """Some numbers by which the loops can be closed again."""
    out: list[str] = []
    for name in rng.permutation(model.parameter_names):
        try:
            gough.sensitivity(model, "coordinate", q, [str(name)])
        except gough.UsageError:
            continue
        out.append(str(name))
        if len(out) == count:
            break
    return out


def test_frequencies_of_a_flexible_robot_built_again() -> None:
    model = built("dualemps")
    names = ("j23.x", "j13.x", "slider2.M")
    found = gough.sensitivity(model, "frequency:0,1,3", by=names)
    whole, still = model.unlocked, np.zeros(model.layout.nv)
    for name in names:
        i = model.parameter_names.index(name)

        def at(h: float, i: int = i) -> np.ndarray:
            p = model.parameters.copy()
            p[i] += h
            q = whole.integrate(model.home, still, 1.0, parameters=p)
            return gough.natural_frequencies(whole, q, parameters=p).frequencies_hz[[0, 1, 3]]

        truth = slope(at, 10 * max(abs(model.parameters[i]), 0.05))
        assert np.abs(found[name] - truth).max() < 1e-6 * np.abs(found.derivatives).max()


def test_states_are_rows_and_the_distance_to_singularities_follows_geometry() -> None:
    model = built("pedrammehr2012")
    q = model.sampled_states["q"][:4]
    by = ["leg0.ball.on_platform.x", "leg3.hip.y"]
    found = gough.sensitivity(model, "condition:drives", q, by)
    assert found.values.shape == (4, 1) and found.derivatives.shape == (4, 1, 2)
    assert np.allclose(found.values[:, 0], model.singularity(q).parallel, rtol=1e-12)
    for name in by:
        i = model.parameter_names.index(name)

        def at(h: float, i: int = i) -> np.ndarray:
            p = model.parameters.copy()
            p[i] += h
            there = model.integrate(q, np.zeros((4, 6)), 1.0, parameters=p)
            return model.singularity(there, parameters=p, length=model.size).parallel

        assert np.allclose(found[name][:, 0], slope(at, 1.0), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["three_prs", "pedrammehr2012"])
@pytest.mark.quick_cases("three_prs")
def test_all_slopes_of_a_number_cost_less_than_five_evaluations(name: str) -> None:
    """Operations of the sweep backwards, through forces and closures, to hundreds of numbers of the design."""
    model = built(name).unlocked
    forces = model.function("inverse_dynamics")
    sweep = tangent_derivative(model, "inverse_dynamics", ("parameters",), "vjp", closing=True)
    assert len(model.parameters) > 200 and sweep.count().operations < 5 * forces.count().operations


def test_what_cannot_be_is_refused() -> None:
    planar = built("three_rrr")
    with pytest.raises(gough.UsageError, match=r"leg0\.elbow\.z alone would open loops"):
        gough.sensitivity(planar, "tau", by=["leg0.elbow.z"])
    with pytest.raises(gough.UsageError, match="no such kind"):
        gough.sensitivity(planar, "torque")
    with pytest.raises(gough.UsageError, match=r"no 'leg9\.crank'"):
        gough.sensitivity(planar, "tau:leg9.crank", by=["platform.M"])
    with pytest.raises(gough.UsageError, match="has no variables"):
        gough.sensitivity(planar, "tau")
    with pytest.raises(gough.UsageError, match="names nothing"):
        gough.sensitivity(planar, "tau", by=["platform.mass"])
    free = gough.build(
        loads(MASS_ON_SPRING.replace(", spring: {stiffness: k}", "").replace("variables: {k: 1000 N/m}\n", ""))
    )
    with pytest.raises(gough.UsageError, match="nothing swings there"):
        gough.sensitivity(free, "frequency", by=["head.M"])


def test_a_state_without_a_value_is_refused() -> None:
    model = built("fried")
    q = np.tile(model.home, (2, 1))
    q[1, 9] += 0.3
    with pytest.raises(gough.UsageError, match="1 of 2 states have no value, the first is number 1"):
        gough.sensitivity(model, "tau", q, ["platform.M"])
