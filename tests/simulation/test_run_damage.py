"""Files of runs that somebody cut or changed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough


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
