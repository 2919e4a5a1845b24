"""Bodies that a loop is cut in: what is written is the same mechanism, in every format."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

import gough
from interchange.mechanisms import four_bar
from interchange.reading import read_quietly, saved
from interchange.sdf_writing import SdfWriting
from reference.peers.facts import Facts


def sprung() -> Facts:
    facts = four_bar()
    for k, name in enumerate(facts.joints):
        facts = facts.with_joint(name, stiffness=3.0 + k, rest=0.1 * k, viscous=0.1)
    return facts


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".sdf", ".usda"])
def test_a_loop_that_is_cut_in_a_body_is_written_and_read_again(tmp_path, suffix):
    robot = read_quietly(saved(tmp_path, SdfWriting(sprung(), seed=4).text()), drives="pin_a")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gough.save(robot, tmp_path / f"again{suffix}")
    ours, again = (gough.build(r, velocities="drives") for r in (robot, read_quietly(tmp_path / f"again{suffix}")))
    tau = [m.inverse_dynamics(m.home, [0.4], [1.0]).tau for m in (ours, again)]
    np.testing.assert_allclose(tau[1], tau[0], rtol=1e-9)


def test_both_halves_together_weigh_what_the_body_does(tmp_path):
    """Mass, mass centre and tensor of all bodies in MuJoCo, beside those of the mechanism."""
    facts = sprung()
    robot = read_quietly(saved(tmp_path, SdfWriting(facts, seed=4).text()), drives="pin_a")
    with pytest.warns(gough.ConversionWarning, match="pin_d_half: tied to rocker|pin_._half: tied to"):
        gough.save(robot, tmp_path / "again.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mass, center = model.body_mass, data.xipos

    def summed(masses, centers, tensors):
        spread = [m * (c @ c * np.eye(3) - np.outer(c, c)) for m, c in zip(masses, centers, strict=True)]
        return np.concatenate(
            [[sum(masses)], np.asarray(masses) @ np.asarray(centers), np.ravel(sum(tensors + spread))]
        )

    axes = data.ximat.reshape(-1, 3, 3)
    found = summed(mass, center, [R @ np.diag(i) @ R.T for R, i in zip(axes, model.body_inertia, strict=True)])
    bodies = facts.bodies.values()
    expected = summed([b.mass for b in bodies], [b.center for b in bodies], [b.inertia for b in bodies])
    np.testing.assert_allclose(found, expected, atol=1e-9)
