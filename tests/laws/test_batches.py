"""A batch of any leading shape is the loop over its states, in interpreted and in compiled code; empty ones work."""

from __future__ import annotations

import numpy as np
import pytest

from laws.subjects import built, subject

NAMES = ["lopes", *(pytest.param(n, marks=pytest.mark.slow) for n in ("ups-0", "generic-0"))]
SHAPES = [(), (1,), (3,), (2, 3), (2, 1, 2), (0,), (2, 0), (13,)]


def states(name: str, n: int, seed: int = 0):
    """n closed states around the subject's first one."""
    s = subject(name)
    rng = np.random.default_rng(seed)
    steps = rng.uniform(-1, 1, (n, 6)) * np.array([0.02] * 3 + [0.05] * 3)
    q = s.model.integrate(s.states[0].q, steps)
    v, a, w, tau = (rng.normal(size=(n, 6)) for _ in range(4))
    return q, v, a, w, tau


def calls(model, q, v, a, w, tau) -> dict[str, np.ndarray]:
    energies = model.energies(q, v)
    reactions = model.joint_reactions(q, v, a, w)
    return {
        "inverse": model.inverse_dynamics(q, v, a, w).tau,
        "forward": model.forward_dynamics(q, v, tau, w).vdot,
        "M": model.mass_matrix(q),
        "h": model.bias_force(q, v),
        "g": model.gravity_force(q),
        "S": model.drive_map(q),
        "T": energies.kinetic,
        "U": energies.potential,
        "losses": energies.losses,
        "joints": reactions.joints,
        "cuts": reactions.cuts,
        "rate": model.configuration_rate(q, v),
        "J": model.frame_jacobian(q, "platform"),
        "position": model.frame_pose(q, "platform")[0],
        "closure": model.closure_error(q),
        "drives": model.drives(q),
        "drive_rates": model.drive_rates(q, v),
        "integrated": model.integrate(q, v, 1e-3),
        "posed": model.configuration(pose=q[..., :7], near=q),
    }


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["lopes", pytest.param("generic-0", marks=pytest.mark.slow)])
def test_leading_shapes(name: str, shape: tuple[int, ...]) -> None:
    model = subject(name).model
    n = int(np.prod(shape, dtype=int))
    flat = states(name, n)
    batched = calls(model, *(x.reshape(*shape, x.shape[-1]) for x in flat))
    for i in range(min(n, 4)):
        single = calls(model, *(x[i] for x in flat))
        for key, value in single.items():
            found = batched[key].reshape(n, *value.shape)[i]
            np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(value).max()), err_msg=key)
    for key, value in batched.items():
        assert value.shape[: len(shape)] == shape, key


@pytest.mark.parametrize("name", NAMES)
def test_compiled_batch_is_the_loop(name: str) -> None:
    """More states than the interpreter takes, against a fresh model that interprets them one by one."""
    q, v, a, w, _ = states(name, 67)
    compiled = subject(name).model.inverse_dynamics(q, v, a, w).tau
    fresh = built(subject(name).robot)
    loop = np.array([fresh.inverse_dynamics(*x).tau for x in zip(q[:40], v, a, w, strict=False)])
    np.testing.assert_allclose(compiled[:40], loop, rtol=0, atol=1e-11 * np.abs(loop).max())


def test_broadcasting() -> None:
    model = subject("lopes").model
    q, v, a, w, tau = states("lopes", 6)
    grid = model.inverse_dynamics(q[:, None], v[None, :3], a[0], w[:1, None]).tau
    assert grid.shape == (6, 3, 6)
    for i in range(6):
        for j in range(3):
            alone = model.inverse_dynamics(q[i], v[j], a[0], w[0]).tau
            np.testing.assert_allclose(grid[i, j], alone, rtol=1e-10, atol=1e-10)
    assert model.forward_dynamics(q[0], v[0], tau).vdot.shape == (6, 6)
    assert model.forward_dynamics(q[0], v[0], tau).status.shape == (6,)


def test_inputs_are_not_changed_and_may_be_views() -> None:
    model = subject("lopes").model
    q, v, a, w, _ = states("lopes", 60)
    kept = [x.copy() for x in (q, v, a, w)]
    truth = model.inverse_dynamics(q, v, a, w).tau
    wide = np.zeros((60, 2 * q.shape[1]))
    wide[:, ::2] = q
    np.testing.assert_array_equal(model.inverse_dynamics(wide[:, ::2], np.asfortranarray(v), a, w).tau, truth)
    np.testing.assert_array_equal(model.inverse_dynamics(q[::-1], v[::-1], a[::-1], w[::-1]).tau[::-1], truth)
    np.testing.assert_array_equal(model.inverse_dynamics(q.tolist(), v.tolist(), a.tolist(), w.tolist()).tau, truth)
    for x, y in zip((q, v, a, w), kept, strict=True):
        np.testing.assert_array_equal(x, y)


def test_float32_and_integers_are_taken_as_numbers() -> None:
    model = subject("lopes").model
    q = model.home
    truth = model.inverse_dynamics(q, np.zeros(6), np.ones(6)).tau
    np.testing.assert_array_equal(model.inverse_dynamics(q, np.zeros(6, int), np.ones(6, np.float32)).tau, truth)


def test_parameters_per_state() -> None:
    """Every state its own design: masses of a batch, against one call a design."""
    model = subject("lopes").model
    q, v, a, w, _ = states("lopes", 60)
    k = model.parameter_names.index("platform.M")
    designs = np.tile(model.parameters, (60, 1))
    designs[:, k] *= np.linspace(0.5, 2, 60)
    together = model.inverse_dynamics(q, v, a, w, parameters=designs).tau
    alone = np.array(
        [model.inverse_dynamics(q[i], v[i], a[i], w[i], parameters=designs[i]).tau for i in range(0, 60, 7)]
    )
    np.testing.assert_allclose(together[::7], alone, rtol=0, atol=1e-11 * np.abs(alone).max())
    few = model.inverse_dynamics(q[0], v[0], a[0], w[0], parameters={"platform.M": designs[:5, k]}).tau
    assert few.shape == (5, 6)
    np.testing.assert_allclose(few[0], together[0], rtol=0, atol=1e-11 * np.abs(few).max())


def test_empty_batches_of_geometry() -> None:
    model = subject("lopes").model
    nq = model.layout.nq
    assert model.configuration(pose=np.zeros((0, 7))).shape == (0, nq)
    assert model.configuration(drives=np.zeros((4, 0, 6))).shape == (4, 0, nq)
    assert model.integrate(np.zeros((0, nq)), np.zeros(6)).shape == (0, nq)
    assert model.project(np.zeros((0, nq))).shape == (0, nq)
    measure = model.singularity(np.zeros((0, nq)))
    assert measure.parallel.shape == (0,) and measure.serial.shape == (0, 6)
