"""Force = Y π: against Pinocchio's closed tree of another robot, of which π has the numbers and Y only the geometry."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads
from reference.designs import description
from reference.peers.pinocchio import PinocchioPeer

FAMILIES = ("planar", "delta", "generic", "chain_closed", "effects", "coupled_bars", "idle_loop", "screws")
MORE = (
    "ups",
    "pus",
    "sliding_cuts",
    "tripod",
    "inner_loop",
    "hinge_cuts",
    "other_cuts",
    "odd_joints",
    "skewed",
    "rubbing_cuts",
)
SCALED = ("mass", "viscous", "coulomb", "stiffness", "damping", "preload", "rotor_inertia", "armature", "polynomial")


def other_numbers(data: Any, rng: np.random.Generator) -> Any:
    """The same description with other masses, mass centres, inertias, friction and springs."""
    if isinstance(data, list):
        return [other_numbers(x, rng) for x in data]
    if not isinstance(data, dict) or "tension_only" in data or "table" in data:
        return data  # springs that are not linear stay
    out = {}
    for key, value in data.items():
        if key in SCALED and not isinstance(value, str):
            out[key] = (np.array(value) * rng.uniform(0.5, 2.0)).tolist()
        elif key == "center_of_mass":
            out[key] = (np.array(value) + rng.normal(0.0, 0.02, 3)).tolist()
        elif key == "inertia" and isinstance(value, dict):
            out[key] = {k: x if isinstance(x, str) else x * 1.7 for k, x in value.items()}
        else:
            out[key] = other_numbers(value, rng)
    return out


def robot_of(data: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return loads(json.dumps(data))


def model_of(data: Any) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(robot_of(data))


def largest_difference(ours: Any, truth: Any) -> float:
    return float(np.max(np.abs(np.asarray(ours) - truth)) / np.max(np.abs(truth)))


@pytest.mark.parametrize("family", [*FAMILIES, *(pytest.param(f, marks=pytest.mark.slow) for f in MORE)])
def test_forces_of_another_robot_are_linear_in_its_numbers(family: str) -> None:
    data, rng = description(family, 1), np.random.default_rng(3)
    other = other_numbers(data, rng)
    model, peer = model_of(data), PinocchioPeer(robot_of(other), model_of(data).layout.v_names)
    y = gough.regressor(model, rows="freedoms")
    numbers = model_of(other).parameters
    pi = np.array([numbers[u.places[0]] for u in y.unknowns])
    states = model.sampled_states
    for q, v, vdot in zip(states["q"][1:4], states["v"], states["vdot"], strict=False):
        found = y(q, v, vdot)
        truth = peer.mass_matrix(q) @ vdot + peer.bias(q, v)
        assert largest_difference(found.Y @ pi + found.rest, truth) < 1e-10


@pytest.mark.parametrize("name", ["pedrammehr2012", "five_bar", "delta", "lopes"])
def test_drive_forces_are_the_models_own(name: str) -> None:
    model = gough.build(name)
    y = gough.regressor(model, ("inertia", "rotors", "friction", "springs", "offsets"))
    s = model.sampled_states
    found = y(s["q"], s["v"], s["acceleration"])
    tau = np.einsum("...ij,j->...i", found.Y, y.values) + found.rest
    assert largest_difference(tau, model.inverse_dynamics(s["q"], s["v"], s["acceleration"]).tau) < 1e-12


def test_offsets_of_drives_are_forces_of_these_drives() -> None:
    model = gough.build("pedrammehr2012")
    y = gough.regressor(model, "offsets")
    s = model.sampled_states
    assert np.allclose(y(s["q"], s["v"], s["acceleration"]).Y, np.eye(6), atol=1e-9)


def test_offset_of_a_passive_joint_is_its_preload() -> None:
    data = description("planar", 1)
    model = model_of(data)
    joint = next(
        j for j in data["joints"] if "drive" not in j and "spring" not in j and j["name"] in model.layout.u_names
    )
    y = gough.regressor(model, f"{joint['name']}.offset", rows="freedoms")
    joint["spring"] = {"preload": -3.0}
    loaded = model_of(data)
    s = model.sampled_states
    more = loaded.bias_force(s["q"], s["v"]) - model.bias_force(s["q"], s["v"])
    assert np.allclose(y(s["q"], s["v"], s["vdot"]).Y[..., 0] * 3.0, more, atol=1e-10)


def test_tied_legs_are_sums_of_columns() -> None:
    model = gough.build("pedrammehr2012")
    apart, tied = gough.regressor(model, "inertia"), gough.regressor(model, "inertia", "legs")
    s = model.sampled_states
    Y, T = (y(s["q"], s["v"], s["acceleration"]).Y for y in (apart, tied))
    for k, unknown in enumerate(tied.unknowns):
        members = [apart.names.index(model.parameter_names[i]) for i in unknown.places]
        assert np.allclose(T[..., k], Y[..., members].sum(axis=-1), atol=1e-9 * np.abs(Y).max())
    assert "leg*.upper.M" in tied.names


def test_what_is_not_linear_is_refused_by_name() -> None:
    with pytest.raises(gough.UsageError, match=r"not linear in left_elbow\.x"):
        gough.regressor(gough.build("five_bar"), ["left_elbow.x"])
    with pytest.raises(gough.UsageError, match="rows='freedoms'"):
        gough.regressor(gough.build("dualemps"))
    with pytest.raises(gough.UsageError, match="names nothing to identify"):
        gough.regressor(gough.build("five_bar"), "inertias")


def test_bad_states_are_told() -> None:
    model = gough.build("five_bar")
    y = gough.regressor(model)
    bad = np.array([model.home, model.home + 0.1])
    with pytest.raises(gough.BadStateError):
        y(bad, np.ones(2), np.ones(2))
    marked = y(bad, np.ones(2), np.ones(2), on_bad_state="mark")
    assert marked.status[0] == 0 and marked.status[1] != 0 and np.isnan(marked.Y[1]).all()


def test_ties_by_patterns() -> None:
    model = gough.build("five_bar")
    y = gough.regressor(model, "inertia", [("left_*", "right_*")])
    assert len(y.unknowns) == 20 and y.names[0] == "{left_crank,right_crank}.M"
    with pytest.raises(gough.UsageError, match="fits none"):
        gough.regressor(model, "inertia", [("lef_*", "right_*")])
