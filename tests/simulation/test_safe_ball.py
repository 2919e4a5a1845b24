"""A ball that is called safe has no state that a full look would not trust."""

from itertools import pairwise

import numpy as np
import pytest
from tests.inner.simulation import SafeBall, Watch, radii

import gough


@pytest.mark.parametrize("equal_steps", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_matrices_of_a_ball_are_trusted(k: int, equal_steps: bool) -> None:
    """Singular values by NumPy, of the worst changes there are: along singular vectors, and of others."""
    rng = np.random.default_rng(k)
    balls = 0
    for _ in range(300):
        A = rng.normal(size=(k, k))
        U, s, V = np.linalg.svd(A)
        now = s[-1] if k == 1 else s[-1] / s[0]
        farthest = now * rng.choice([1.0, 1.5, 4.0, 8.0])
        (r,), (most,) = radii(s[-1:], s[:1], np.array([farthest]), np.array([k == 1]), equal_steps)
        if not r:
            continue
        balls += 1
        seen, largest = [A], farthest
        for _ in range(20):
            change = (
                np.outer(U[:, -1], V[-1]) * rng.choice([-1.0, 1.0]) if rng.random() < 0.5 else rng.normal(size=(k, k))
            )
            seen.append(A + r * rng.random() ** 0.2 * change / np.linalg.norm(change))
        parts = []
        for B in seen:
            x = np.linalg.svd(B, compute_uv=False)
            parts.append(x[-1] if k == 1 else x[-1] / x[0])
            largest = max(largest, parts[-1])
            assert np.sign(np.linalg.det(B)) == np.sign(np.linalg.det(A))
        assert min(parts) > 0.1 * largest
        if equal_steps and np.isfinite(most):  # from any state of it, a step that is short enough changes little
            for B, before in zip(seen, parts, strict=True):
                change = rng.normal(size=(k, k))
                C = B + most * change / np.linalg.norm(change)
                x = np.linalg.svd(C, compute_uv=False)
                after = x[-1] if k == 1 else x[-1] / x[0]
                inside = np.linalg.norm(C - A) <= r
                assert not inside or abs(after - before) < 0.1 * min(after, before)
        elif equal_steps:
            assert min(parts) >= 0.5 * largest
    assert balls > 50


@pytest.mark.quick_cases("pedrammehr2012", "five_bar", "four_bar_chain")
@pytest.mark.parametrize("name", ["five_bar", "pedrammehr2012", "delta", "four_bar_chain"])
@pytest.mark.filterwarnings("ignore")
def test_states_of_a_ball_are_trusted(name: str) -> None:
    """Walks of a robot, small steps and large ones: what the ball has, a look at every state trusts, and noise is in none."""
    model = gough.build(name)
    sim = gough.Stepper(model, method="rk4", longest_step=1e-3, check="off")
    straight = sim._run.straight
    assert straight is not None
    rng, asked = np.random.default_rng(3), [0, 0]
    room, nq = straight.loop.room, model.layout.nq
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(40):
            q, walk = model.home, [model.home]
            for _ in range(4):
                q = model.integrate(q, size * rng.normal(size=model.layout.nv), on_bad_state="mark")
                walk.append(q)
            if not np.isfinite(walk).all():
                continue
            watch = Watch(straight.led.plant, model.parameters, True)
            watch.begin(model.home)
            ball: SafeBall = straight.ball
            ball.watch = watch
            room[:5, :nq] = walk
            ball.lay_around(straight.loop, 0)
            inside = ball.has(straight.loop, 1, 4)
            asked[inside] += 1
            if inside:
                assert watch.stays_far(np.array(walk))
    assert all(asked), "some are to be inside, some not"
    for bad in (np.full(nq, np.nan), model.home + rng.normal(size=nq), model.home + 1e20):
        ball.lay_around(straight.loop, 0)
        room[1, :nq] = bad
        assert not ball.has(straight.loop, 1, 1)
        ball.lay_around(straight.loop, 0)
        room[1, :nq] = model.home
        assert ball.has(straight.loop, 1, 1)


def test_pieces_together_are_seen_as_one_by_one() -> None:
    model = gough.build("five_bar")
    plant = gough.Stepper(model)._run.led.plant
    rng = np.random.default_rng(8)
    for _ in range(30):
        counts = rng.integers(1, 6, 12)
        way = np.cumsum(0.01 * rng.normal(size=(counts.sum() + 1, 2)), axis=0)
        q = model.configuration(drives=model.drives(model.home) + way)
        firsts = np.concatenate([[0], np.cumsum(counts)])
        one, all_ = (Watch(plant, model.parameters, False) for _ in range(2))
        one.farthest = np.zeros(1)
        for a, b in pairwise(firsts):
            assert one.stays_far(q[a : b + 1])
        all_.farthest = np.zeros(1)
        all_.note_far(q, firsts[:-1])
        np.testing.assert_array_equal(one.farthest, all_.farthest)
