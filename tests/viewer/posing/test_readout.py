"""Numbers beside a pose: forces by virtual work with differences of the potential energy, frequencies by the modes."""

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from gough.viewer.posing.readout import drive_forces, read_pose, settle_pose
from inner.viewer import Hold, Load, frames_for_loads, usual_stiffness
from viewer.posing.models import model_of


def neighbour(model: gough.Model, q: np.ndarray, drive: int, step: float) -> np.ndarray:
    drives = model.drives(q)
    drives[drive] += step
    return model.configuration(drives=drives, near=q)


@pytest.mark.parametrize("name", ["pedrammehr2012", "delta", "three_rrr", "five_bar", "tripod_wrist", "andrews"])
def test_forces_do_the_work_that_energy_takes(name: str) -> None:
    """τ_k = dV/ds_k - F · dp/ds_k along each drive s_k alone."""
    model = model_of(name)
    frame = frames_for_loads(model)[0]
    force = np.array([3.0, -2.0, 5.0])
    load = Load(frame, tuple(force))
    found = read_pose(model, model.home, load)
    rest = np.zeros(model.layout.nv)
    h = 1e-5
    for k in range(len(found.tau)):
        ahead, behind = (neighbour(model, model.home, k, s) for s in (h, -h))
        energy = [float(model.energies(q, rest).potential) for q in (ahead, behind)]
        place = [model.frame_pose(q, frame)[0] for q in (ahead, behind)]
        expected = (energy[0] - energy[1] - force @ (place[0] - place[1])) / (2 * h)
        assert found.tau[k] == pytest.approx(expected, abs=1e-5 * (1 + np.abs(found.tau).max()))
    assert np.array_equal(found.drives, model.drives(model.home))


def test_an_acceleration_costs_inertia() -> None:
    model = model_of("delta")
    still, moved = (drive_forces(model, model.home, Load("platform", acceleration=a))[0] for a in ((), (0, 0, 2.0)))
    M, S = model.mass_matrix(model.home), model.drive_map(model.home)
    assert np.allclose(S @ (moved - still), M @ [0, 0, 2.0], atol=1e-9)


@pytest.mark.parametrize("name", ["dualemps", "spin_up_beam", "pedrammehr2012", "three_rrr"])
def test_the_first_frequency_is_that_of_the_modes(name: str) -> None:
    model = model_of(name)
    hold = Hold() if model.layout.v_elastic else Hold("servo", usual_stiffness(model))
    load = Load(frames_for_loads(model)[0], (0.0, 1.0, -2.0))
    found = settle_pose(model, model.home, load, hold)
    modes = gough.natural_frequencies(model, model.home, hold.argument, wrench=load.wrench)
    assert found.frequency == pytest.approx(modes.frequencies_hz[0], rel=1e-6)
    assert np.allclose(found.q, modes.q)
    assert np.allclose(found.tau, modes.tau, atol=1e-6 * (1 + np.abs(modes.tau).max()))


@pytest.mark.slow
def test_stiffness_is_force_over_displacement() -> None:
    """Delta on springs of 1e5 N m/rad, pushed a little: the place of rest moves by the compliance, at most by 1/softest."""
    model = model_of("delta")
    hold = Hold("servo", 1e5)
    found = settle_pose(model, model.home, Load("platform"), hold)
    place = model.frame_pose(model.home, "platform")[0]
    drives, tau = model.drives(model.home), found.tau
    rng = np.random.default_rng(3)
    softest = np.inf
    for _ in range(25):
        push = rng.normal(size=3)
        push *= 0.5 / np.linalg.norm(push)
        q = model.home
        for _ in range(3):  # where springs, gravity and the push are in balance
            held = gough.static_equilibrium(model, q=q, wrench={"platform": np.append(push, [0, 0, 0])})
            q = model.configuration(drives=drives - (held.tau - tau) / 1e5, near=q)
        softest = min(softest, 0.5 / np.linalg.norm(model.frame_pose(q, "platform")[0] - place))
    assert found.stiffness <= softest * 1.001
    assert found.stiffness == pytest.approx(softest, rel=0.05)


def test_what_cannot_be_told_is_said() -> None:
    rigid = model_of("delta")
    found = settle_pose(rigid, rigid.home, Load("platform"), Hold())
    assert np.isnan(found.frequency) and np.isinf(found.stiffness) and "nothing swings" in found.note
    loose = model_of("bricard")
    assert read_pose(loose, loose.home, Load("")).forces_note == "no drives"
    assert "too few drives" in settle_pose(loose, loose.home, Load(""), Hold()).note
    with pytest.raises(UsageError, match="stiffness"):
        Hold("servo", -1.0)
    with pytest.raises(UsageError, match="force"):
        Load("platform", (np.nan, 0, 0))


def test_margins_are_to_the_nearest_limit() -> None:
    from analysis.mapped_robots import STROKE, hexapod

    model = hexapod()
    found = read_pose(model, model.home, Load("platform"))
    lengths = model.drives(model.home)
    assert np.allclose(found.room, np.stack([lengths - STROKE[0], STROKE[1] - lengths], axis=1))


@pytest.mark.slow
def test_a_load_on_a_flexible_platform_finds_its_equilibrium() -> None:
    """Work of a small force: the elastic energy and gravity are stationary, F = dV along every elastic coordinate."""
    model, frame = model_of("long2014"), "vertex"
    load = {frame: np.array([0.0, 0, -10, 0, 0, 0])}
    rest = gough.static_equilibrium(model, q=model.home, wrench=load)
    still = np.zeros(model.layout.nv)
    for k in range(0, model.layout.n_elastic, 3):
        step = np.zeros(model.layout.nv)
        step[6 + k] = 1e-5
        ahead, behind = (model.integrate(rest.q, s * step) for s in (1, -1))
        tau_work = float(rest.tau @ (model.drives(ahead) - model.drives(behind)))
        energy = float(model.energies(ahead, still).potential - model.energies(behind, still).potential)
        drop = load[frame][:3] @ (model.frame_pose(ahead, frame)[0] - model.frame_pose(behind, frame)[0])
        assert energy == pytest.approx(tau_work + drop, abs=1e-5 * (abs(energy) + abs(float(tau_work)) + 1e-4))
