"""Files and figures of a workspace."""

import json

import numpy as np
import pytest

import gough
from analysis.mapped_robots import hexapod
from gough.errors import UsageError

GRID = {"x": (-0.2, 0.2, 9), "y": (-0.2, 0.2, 8), "z": (0.45, 0.7, 7)}


@pytest.mark.parametrize(
    "options",
    [
        {"ranges": GRID, "fixed": {"yaw": 0.1}, "keep_q": True},
        {"ranges": {"x": (-0.2, 0.2)}, "random": 50, "seed": 4, "limits": False},
        {"ranges": {"x": (-0.2, 0.2, 5)}, "orientations": [(0, 0, 0), (0.1, 0, 0)], "every": False},
    ],
)
def test_what_is_read_is_what_was_written(tmp_path, options):
    made = gough.workspace(hexapod(), **options)
    path = made.save(tmp_path / "deep" / "map")
    assert path.name == "map.npz"
    read = gough.Workspace.load(path)
    for name, value in vars(made).items():
        again = getattr(read, name)
        if isinstance(value, np.ndarray):
            assert value.dtype == again.dtype and np.array_equal(value, again, equal_nan=value.dtype.kind == "f"), name
        else:
            assert again == value, name
    assert np.array_equal(read.coordinates, made.coordinates)
    assert read.volume.reachable == made.volume.reachable


def test_the_file_names_its_units_and_format(tmp_path):
    path = gough.workspace(hexapod(), {"x": (-0.2, 0.2, 5)}).save(tmp_path / "map.npz")
    with np.load(path, allow_pickle=False) as data:
        about = json.loads(str(data["about"]))
        assert np.allclose(data["axis x"], np.linspace(-0.2, 0.2, 5))
    assert (about["format"], about["robot"]) == (1, "limited")
    assert about["samples"]["axes"][0]["unit"] == "m" and about["limit_units"][0] in ("m", "rad")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    np.savez(tmp_path / "new.npz", about=np.array(json.dumps({"kind": "gough workspace", "format": 99})))
    for name, text in (("text", "not a workspace"), ("other", "not a workspace"), ("new", "newer")):
        with pytest.raises(UsageError, match=text):
            gough.Workspace.load(tmp_path / f"{name}.npz")


@pytest.mark.quick_cases("options1-2", "options2-2", "options6-2")
@pytest.mark.parametrize(
    ("options", "panels"),
    [
        ({"ranges": {"yaw": (-1.0, 1.0, 31)}}, 1),
        ({"ranges": {"y": (-0.2, 0.2, 21), "x": (-0.2, 0.2, 22)}, "fixed": {"z": 0.62}}, 2),
        ({"ranges": {"x": (-0.2, 0.2, 21), "roll": (-0.5, 0.5, 22)}, "limits": False}, 2),
        ({"ranges": GRID}, 5),
        ({"ranges": GRID | {"yaw": (-0.2, 0.2, 3)}}, 5),
        ({"ranges": {"x": (-0.2, 0.2), "y": (-0.2, 0.2)}, "random": 300}, 2),
        ({"ranges": {"x": (-0.2, 0.2), "y": (-0.2, 0.2), "z": (0.5, 0.7)}, "random": 300}, 2),
        ({"ranges": {"x": (5.0, 6.0, 5), "y": (5.0, 6.0, 5)}}, 2),  # nothing is reachable
    ],
)
def test_figures(tmp_path, options, panels):
    made = gough.workspace(hexapod(), **options)
    figure = made.plot(tmp_path / "map.png")
    assert len(figure.axes) == panels
    assert "limited" in figure.get_suptitle()
    axis = made.samples.axes[0]
    assert f"{axis.name} ({axis.unit})" in (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel())
    assert (tmp_path / "map.png").stat().st_size > 5000


def test_axes_of_a_figure_can_be_chosen(tmp_path):
    made = gough.workspace(hexapod(), GRID)
    figure = made.plot(axes=["z", "x"])
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("z (m)", "x (m)")
    assert "y = " in figure.get_suptitle()
    with pytest.raises(UsageError, match="one to three of x, y, z"):
        made.plot(axes=["roll"])
