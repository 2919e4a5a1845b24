"""A mode as a run: drawn in its shape, loops closed, whole swings that begin and end alike."""

from pathlib import Path

import numpy as np
import pytest

from analysis.bending_arm import AREA, RHO, SECOND, E, L, arm
from gough.errors import UsageError
from gough.viewer.posing.swing import PERIOD, STATES, home_modes, largest_motion, swinging_mode
from inner.viewer import Figure, Frames, Hold
from viewer.posing.models import model_of

CLAMPED = (1.87510407, 4.69409113)
"""Wave numbers times length of a cantilever: cos k cosh k = -1."""


def cantilever(k: float, x: np.ndarray) -> np.ndarray:
    """Shape of a clamped beam's mode at x (parts of the length), 1 at the tip."""
    s = (np.cos(k) + np.cosh(k)) / (np.sin(k) + np.sinh(k))
    shape = lambda a: np.cosh(k * a) - np.cos(k * a) - s * (np.sinh(k * a) - np.sin(k * a))  # noqa: E731
    return shape(x) / shape(1.0)


@pytest.mark.parametrize("number", [1, 2])
def test_a_cantilever_swings_in_its_closed_form(number: int, tmp_path: Path) -> None:
    """The points that are drawn move along the shape of the textbook, and the frequency told is the textbook's."""
    figure = Figure(arm(directory=tmp_path))
    modes, hold = home_modes(figure.model)
    found = swinging_mode(figure, modes, hold, number, share=0.001)  # small: what is drawn turns by whole angles
    skin = figure.skins[0]
    moved = skin.displacement(found.run.q[0]) - skin.displacement(modes.q)
    x = skin.surface.rest[:, 0] / L
    across = moved[:, np.abs(moved).max(axis=0).argmax()]
    tip = across[x.argmax()]
    np.testing.assert_allclose(across / tip, cantilever(CLAMPED[number - 1], x), atol=1e-3)
    assert largest_motion(figure, modes.q, found.run.q[0]) == pytest.approx(0.001 * figure.size, rel=1e-2)
    hertz = CLAMPED[number - 1] ** 2 * np.sqrt(E * SECOND / (RHO * AREA)) / L**2 / (2 * np.pi)
    told = float(found.heading.split(": ")[1].removesuffix(" Hz"))
    assert told == pytest.approx(hertz, rel=1e-3)
    assert "drives locked" in found.remark


@pytest.mark.parametrize("name", ["dualemps", "five_bar", pytest.param("hexapod_flexible", marks=pytest.mark.slow)])
def test_whole_swings_with_closed_loops(name: str) -> None:
    figure = Figure(model_of(name))
    model = figure.model
    modes, hold = home_modes(model)
    run = swinging_mode(figure, modes, hold, 1, swings=2).run
    assert run.time[-1] == pytest.approx(2 * PERIOD) and len(run) == 2 * STATES + 1
    np.testing.assert_allclose(run.q[STATES], run.q[0], atol=1e-12)
    np.testing.assert_allclose(run.q[-1], run.q[0], atol=1e-12)
    np.testing.assert_allclose(run.q[STATES // 4], modes.q, atol=1e-9)
    # Between stored states: as a swing of the shape goes, and closed. One step is small, its middle well on the arc.
    frames = Frames(run)
    for k in (3, STATES // 4, 70):
        q = frames.at(PERIOD * (k + 0.5) / STATES)
        assert model.closure_error(q) < 1e-9 and np.isfinite(q).all()
        step, arc = run.q[k + 1] - run.q[k], q - (run.q[k + 1] + run.q[k]) / 2
        assert np.abs(arc).max() < 0.05 * np.abs(step).max() + 1e-3 * np.abs(run.q[0] - modes.q).max()


def test_rigid_robots_swing_on_servos_and_say_so() -> None:
    model = model_of("five_bar")
    modes, hold = home_modes(model)
    assert hold.kind == "servo" and len(modes) == 2
    found = swinging_mode(Figure(model), modes, hold, 2)
    assert f"servos of {hold.stiffness:g} N m/rad" in found.remark


@pytest.mark.parametrize("number", [0, -1, 3, 1.0, True])
def test_numbers_that_no_mode_has(number: float) -> None:
    model = model_of("five_bar")
    modes, hold = home_modes(model)
    with pytest.raises(UsageError, match=r"five_bar: mode .*1 to 2"):
        swinging_mode(Figure(model), modes, hold, number)  # pyright: ignore[reportArgumentType]
    locked, hold = home_modes(model, Hold())
    with pytest.raises(UsageError, match="nothing swings while the drives are locked"):
        swinging_mode(Figure(model), locked, hold, 1)
