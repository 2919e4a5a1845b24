"""The robot along coordinates: states as other calls make them, derivatives as differences of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough

from .robots import model_of, problem_of

CASES = [("five_bar", "drives"), ("delta", "drives"), ("three_prs", "platform")]
MORE = [("delta", "platform"), ("three_prs", "drives"), ("pedrammehr2012", "platform"), ("pedrammehr2012", "drives")]
N, H, SIZE = 12, 1e-5, 0.002


def motion_of(space: Any) -> tuple[np.ndarray, ...]:
    """t, y, ẏ, ÿ of waves about home."""
    t = np.arange(N) / N
    size, phase = SIZE, 2 * np.pi * t[:, None] + 2 * np.arange(len(space.names))
    y, yd = space.home + size * np.sin(phase), 2 * np.pi * size * np.cos(phase)
    return t, y, yd, -((2 * np.pi) ** 2) * (y - space.home)


@pytest.mark.parametrize(("name", "space"), [*CASES, *(pytest.param(*c, marks=pytest.mark.slow) for c in MORE)])
def test_states_and_their_derivatives(name: str, space: str) -> None:
    model = model_of(name)
    led = problem_of(name, space=space).space
    t, y, yd, ydd = motion_of(led)
    states = led.states(y, yd, ydd)
    assert states.good.all()
    waves = 2 * np.arange(len(led.names))
    means: dict[str, Any] = {led.kind: dict(zip(led.names, led.home, strict=True))}
    motion = gough.motions.fourier(
        period=1.0,
        **means,
        sines={n: [SIZE * np.cos(w)] for n, w in zip(led.names, waves, strict=True)},
        cosines={n: [SIZE * np.sin(w)] for n, w in zip(led.names, waves, strict=True)},
    )
    along = gough.motions.states_along(model, motion, t)
    assert states.q == pytest.approx(along.q, abs=1e-9)
    assert states.v == pytest.approx(along.v, abs=1e-9)
    assert states.vdot == pytest.approx(along.acceleration, abs=1e-8)
    d = led.derivatives(states)
    rng = np.random.default_rng(1)
    dy = 0.1 * rng.normal(size=(3, *y.shape))
    there, back = (led.states(y + s * H * dy[0], yd + s * H * dy[1], ydd + s * H * dy[2], states.q) for s in (1, -1))
    weights = rng.normal(size=(2, *states.v.shape))
    wanted = sum(
        (w * (a - b)).sum() for w, a, b in zip(weights, (there.v, there.vdot), (back.v, back.vdot), strict=True)
    )
    by = d.pull(np.zeros_like(states.v), *weights)
    found = sum((g * x).sum() for g, x in zip(by, dy, strict=True))
    assert found == pytest.approx(wanted / (2 * H), rel=1e-6)


def test_what_does_not_lead_is_refused() -> None:
    with pytest.raises(gough.UsageError, match="five_bar has no platform; use space='drives'"):
        gough.excitation(model_of("five_bar"), space="platform")
    with pytest.raises(gough.UsageError, match=r"drives for 3 freedoms, which do not lead it; use space='platform'"):
        gough.excitation(model_of("redundant_planar"), limits={"*": {"speed": 1.0}})
