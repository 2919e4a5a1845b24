"""Modes that swing: frames of a period move as far as asked for, along the shape, in time with their frequency."""

import numpy as np
import pytest

from gough.viewer.posing.swing import largest_motion, matched_damping, modes_at, swing
from inner.viewer import Figure, Hold, Load, frames_for_loads, usual_stiffness
from viewer.posing.models import model_of


@pytest.mark.parametrize("name", ["pedrammehr2012", "five_bar", "dualemps", "spin_up_beam"])
def test_a_mode_moves_by_its_share_of_the_size(name: str) -> None:
    model = model_of(name)
    figure = Figure(model)
    hold = Hold() if model.layout.v_elastic else Hold("servo", usual_stiffness(model))
    modes = modes_at(model, model.home, Load(frames_for_loads(model)[0]), hold)
    for mode in range(min(2, len(modes))):
        q, amplitude = swing(figure, modes, mode, 0.03)
        assert q.shape == (48, model.layout.nq) and amplitude > 0
        assert model.closure_error(q).max() < 1e-9
        assert np.allclose(q[0], modes.q, atol=1e-9) and np.allclose(q[24], modes.q, atol=1e-9)
        assert largest_motion(figure, modes.q, q[12]) == pytest.approx(0.03 * figure.size, rel=0.1)


def test_exaggerated_drawings_swing_no_further() -> None:
    model = model_of("spin_up_beam")
    figure = Figure(model)
    modes = modes_at(model, model.home, Load("beam.tip"), Hold())
    q, _ = swing(figure, modes, 0, 0.05, exaggeration=10.0)
    assert largest_motion(figure, modes.q, q[12], 10.0) == pytest.approx(0.05 * figure.size, rel=0.1)


def test_damping_goes_with_its_frequency() -> None:
    """Oscillators x'' + 2 ζ ω x' + ω² x = 0, one of them overdamped."""
    omega, ratio = np.array([2.0, 5.0, 40.0]), np.array([0.1, 1.5, 0.02])
    roots = [np.roots([1, 2 * z * w, w * w]) for w, z in zip(omega, ratio, strict=True)]
    values = np.array([r for pair in roots for r in pair if np.imag(r) >= 0], dtype=complex)
    found = matched_damping(omega / (2 * np.pi), values)
    assert found[[0, 2]] == pytest.approx([0.1, 0.02])
    assert np.isnan(found[1])


def test_a_locked_rigid_robot_has_no_modes() -> None:
    model = model_of("five_bar")
    assert len(modes_at(model, model.home, Load(""), Hold())) == 0
