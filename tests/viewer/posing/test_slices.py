"""Map slices against single states, and rays against a plane and a sphere."""

from typing import Any

import numpy as np
import pytest

import gough
from analysis.mapped_robots import CRANK, HALF_BASE, ROD, five_bar
from gough.errors import UsageError
from gough.viewer.posing.readout import drive_forces, settle_pose
from gough.viewer.posing.slices import Slice, SlicePlan, survey
from gough.viewer.posing.surface import Scale, Surface, colours, fill_edges, has_place, scale_of, surface_of
from inner.viewer import Hold, Load, frames_for_loads, sets_of_axes, usual_stiffness
from viewer.posing.models import model_of


def plan_of(
    model: gough.Model, quantity: str, low, high, points=(9, 7), names: Any = None, hold: Any = None
) -> SlicePlan:
    axes = next(iter(sets_of_axes(model).values()))
    frames = frames_for_loads(model)
    load = Load(frames[0] if frames else "", (1.0, 2.0, -3.0))
    default = Hold() if model.layout.v_elastic else Hold("servo", usual_stiffness(model))
    return SlicePlan(
        axes, quantity, names or (axes.names[0], axes.names[1]), low, high, points, model.home, load, hold or default
    )


def run(plan: SlicePlan) -> Slice:
    *shares, found = survey(plan)
    assert isinstance(found, Slice)
    assert all(0 <= float(s) <= 1 for s in shares)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("quantity", ["condition", "frequency", "softest", "force"])
def test_points_are_what_single_poses_say(quantity: str) -> None:
    model = model_of("delta")
    plan = plan_of(model, quantity, (-0.3, -0.2), (0.3, 0.4))
    found = run(plan)
    assert found.reachable.all()
    for i, j in ((0, 0), (4, 3), (8, 2)):
        q = model.configuration(coordinates={"x": found.xs[i], "y": found.ys[j]})
        one = settle_pose(model, q, plan.load, plan.hold)
        measure = model.singularity(q)
        expected = {
            "condition": min(float(measure.parallel), float(measure.serial.min())),
            "frequency": one.frequency,
            "softest": one.stiffness,
            "force": float(np.abs(drive_forces(model, q, plan.load)[0]).max()),
        }[quantity]
        assert found.values[i, j] == pytest.approx(expected, rel=1e-5)
        assert np.allclose(found.places[i, j], [found.xs[i], found.ys[j], model.home[2]], atol=1e-9)


def test_flexible_robots_are_mapped_about_equilibrium() -> None:
    model = model_of("dualemps")
    plan = plan_of(model, "frequency", (-0.05, -0.05), (0.05, 0.05), (5, 5))
    found = run(plan)
    assert not found.singular.any()
    q = model.configuration(coordinates={"q11": found.xs[1], "q21": found.ys[3]})
    modes = gough.natural_frequencies(model, q, wrench=plan.load.wrench)
    assert found.values[1, 3] == pytest.approx(modes.frequencies_hz[0], rel=1e-5)


def test_what_rods_cannot_span_is_left_out() -> None:
    model = five_bar()
    found = run(plan_of(model, "condition", (1.2, 0.0), (3.2, 2.0), (25, 25)))
    m1, m2 = np.meshgrid(found.xs, found.ys, indexing="ij")
    gap = np.hypot(
        2 * HALF_BASE + CRANK * (np.cos(m2) - np.cos(m1)),
        CRANK * (np.sin(m2) - np.sin(m1)),
    )
    assert np.array_equal(found.reachable, gap < 2 * ROD)
    surface = surface_of(found, scale_of(found))
    assert np.isfinite(surface.vertices).all()
    assert len(surface.vertices) == found.reachable.sum()


def test_bad_plans_are_refused() -> None:
    model = model_of("delta")
    for message, changes in (
        ("two different", {"names": ("x", "x")}),
        ("no map of", {"quantity": "colour"}),
        ("points", {"points": (2, 2)}),
        ("locked", {"quantity": "frequency", "hold": Hold()}),
    ):
        options: dict[str, Any] = {"quantity": "condition"} | changes
        with pytest.raises(UsageError, match=message):
            plan_of(model, options.pop("quantity"), (-0.1, -0.1), (0.1, 0.1), **options)


def test_rays_meet_a_sphere_where_they_should(rng: np.random.Generator) -> None:
    """A fine sphere over (longitude, latitude), seen from outside: the nearer side, at the right angles."""
    lon, lat = np.linspace(-3.1, 3.1, 200), np.linspace(-1.5, 1.5, 100)
    grid = np.stack(np.meshgrid(lon, lat, indexing="ij"), axis=-1)
    points = np.stack(
        [
            np.cos(grid[..., 1]) * np.cos(grid[..., 0]),
            np.cos(grid[..., 1]) * np.sin(grid[..., 0]),
            np.sin(grid[..., 1]),
        ],
        axis=-1,
    )
    k = np.arange(200 * 100).reshape(200, 100)
    quads = np.stack([k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]], axis=-1).reshape(-1, 4)
    faces = np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]])
    ball = Surface(points.reshape(-1, 3), faces, grid.reshape(-1, 2), np.zeros((20000, 2)))
    for _ in range(20):
        aim = rng.uniform([-3, -1.2], [3, 1.2])
        at = np.array([np.cos(aim[1]) * np.cos(aim[0]), np.cos(aim[1]) * np.sin(aim[0]), np.sin(aim[1])])
        hit = ball.hit(3 * at, -at)
        assert hit is not None and np.allclose(hit, aim, atol=2e-3)
    assert ball.hit(np.array([3.0, 0, 0]), np.array([0.0, 1.0, 0.0])) is None
    assert has_place(ball, 1.0)


def test_scales_and_colours() -> None:
    linear, spread = Scale(-1.0, 3.0, False), Scale(1.0, 1e4, True)
    assert linear.share(np.array([-1.0, 1.0, 3.0, 9.0])).tolist() == [0, 0.5, 1, 1]
    assert spread.share(np.array([1.0, 100.0, 1e4])) == pytest.approx([0, 0.5, 1])
    assert spread.value(0.5) == pytest.approx(100.0)
    shades = colours(np.linspace(0, 1, 33))
    lightness = shades @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > 0).all()
    shown = np.full((3, 3, 3), np.nan)
    shown[0, 0] = 0.25
    assert np.allclose(fill_edges(shown)[1, 1], 0.25)
    assert np.allclose(fill_edges(shown)[2, 2], 0.0)
