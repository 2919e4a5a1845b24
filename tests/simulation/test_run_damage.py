"""Files of runs that somebody cut or changed."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from simulation.mutants import mutants


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> dict[str, np.ndarray]:
    model = gough.build("five_bar")
    q, v = np.stack([model.home] * 4), np.zeros((4, model.layout.nv))
    path = tmp_path_factory.mktemp("run") / "run.npz"
    gough.Run.from_states(model, [0.0, 1.0, 1.0, 2.0], q, v, np.ones((4, 2))).save(path)
    with np.load(path) as data:
        return dict(data)


def refusal(tmp_path: Path, arrays: dict[str, np.ndarray]) -> str:
    path = tmp_path / "changed.npz"
    np.savez(path, **arrays)  # pyright: ignore[reportArgumentType]
    with pytest.raises(gough.UsageError) as caught:
        gough.Run.load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("q", lambda x: x[:, :-1], "q has shape (4, "),
        ("v", lambda x: x[:2], "v has shape (2, "),
        ("tau", lambda x: x[:, 0], "tau has shape (4,)"),
        ("q", lambda x: x.astype(str), "q holds no numbers"),
        ("t", lambda x: x[::-1], "time goes back from 2 s (state 0) to 1 s"),
        ("t", lambda x: np.where(x == 2, np.nan, x), "the time of state 3 is nan"),
        ("t", lambda x: np.where(x == 2, np.inf, x), "the time of state 3 is inf"),
    ],
)
def test_arrays_that_do_not_go_together(name: str, change: Callable, said: str, stored, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, stored | {name: change(stored[name])})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a: a.pop("robot"), "nothing of 'robot'"),
        (lambda a: a.pop("info"), "nothing of 'info'"),
        (lambda a: a.update(info=None), "cannot be read"),
        (lambda a: a.update(units={}), "nothing of 't'"),
        (lambda a: a.update(columns=[1]), "damaged"),
        (lambda a: a["layout"].pop("q_names"), "nothing of 'q_names'"),
        (lambda a: a["columns"].pop("q"), "the array q is missing"),
        (lambda a: a["columns"].update(q=["x"]), "q has shape"),
        (lambda a: a.update(robot="five_bar"), "damaged"),
    ],
)
def test_documents_that_lack_something(
    change: Callable[[dict[str, Any]], Any], said: str, stored, tmp_path: Path
) -> None:
    about = json.loads(str(stored["about"]))
    change(about)
    assert said in refusal(tmp_path, stored | {"about": np.array(json.dumps(about))})


def test_a_whole_file_is_read(stored, tmp_path: Path) -> None:
    np.savez(tmp_path / "same.npz", **stored)  # pyright: ignore[reportArgumentType]
    assert len(gough.Run.load(tmp_path / "same.npz")) == 4


def damaged_runs(suffix: str, count: int, seed: int, tmp_path: Path) -> int:
    """How many of so many damaged files were refused, by name; the others hold the run as it was."""
    model = gough.build("five_bar")
    run = gough.simulate(model, duration=0.05, v=[1.0, -2.0], every=5)
    path, refused = run.save(tmp_path / f"run{suffix}"), 0
    for data in mutants(path.read_bytes(), count, seed):
        path.write_bytes(data)
        try:
            found, said = gough.Run.load(path), ""
        except GoughError as error:
            found, said = run, str(error)
        assert not said or str(path) in said
        refused += bool(said)
        if suffix != ".csv":  # whose numbers may be edited by hand
            for name in ("time", "q", "v", "tau"):
                np.testing.assert_array_equal(getattr(found, name), getattr(run, name))
    return refused


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_damaged_bytes(suffix: str, tmp_path: Path) -> None:
    assert damaged_runs(suffix, 70, 1, tmp_path) > 35


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_more_damaged_bytes(suffix: str, seed: int, tmp_path: Path) -> None:
    assert damaged_runs(suffix, 700, seed, tmp_path) > 350


@pytest.mark.parametrize("kind", ["stored", "bzip2", "lzma", "encrypted", "huge", "pickle", "folder", "empty"])
def test_archives_that_are_none_of_ours(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    elif kind == "pickle":
        np.savez(path, about=np.array([{}], dtype=object))
    elif kind == "huge":  # a header that speaks of a terabyte
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("about.npy", head.getvalue())
    else:
        methods = {"bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}
        with zipfile.ZipFile(path, "w", methods.get(kind, zipfile.ZIP_STORED)) as archive:
            archive.writestr("about.npy", b"no array" * 100)
        if kind == "encrypted":
            data = bytearray(path.read_bytes())
            data[6] |= 1
            data[data.index(b"PK\x01\x02") + 8] |= 1
            path.write_bytes(data)
    with pytest.raises(GoughError) as caught:
        gough.Run.load(path)
    assert str(path) in str(caught.value)


def test_a_table_whose_last_rows_are_missing(stored, tmp_path: Path) -> None:
    model, path = gough.build("five_bar"), tmp_path / "run.csv"
    q, v = np.stack([model.home] * 4), np.zeros((4, model.layout.nv))
    gough.Run.from_states(model, [0.0, 1.0, 2.0, 3.0], q, v, np.ones((4, 2))).save(path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-2]))
    with pytest.raises(gough.UsageError, match="it has 2 states of the 4 it was written with"):
        gough.Run.load(path)
    about = json.loads(lines[2].removeprefix("# about: "))
    del about["states"]  # as files of before
    path.write_text("".join([*lines[:2], f"# about: {json.dumps(about)}\n", *lines[3:-2]]))
    assert len(gough.Run.load(path)) == 2
