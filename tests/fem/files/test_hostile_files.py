"""Spoilt data files end in a sound body or the library's own error, in 10 s of computing and 2 GB; see hostile_files.py."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from fem.element_bodies import STEEL
from fem.files.hostile_files import good_files, opened, tried
from gough.errors import UsageError
from gough.fem import elastic_body_of_modes, read_mesh, read_modal_file
from gough.fem.files.nastran.matrices import read_dmig

TESTS = Path(__file__).parents[2]


def in_a_process(first: int, count: int) -> list[dict]:
    """What went wrong with files of these numbers, tried in a process that may not take more memory."""
    paths = [str(TESTS), str(TESTS.parent / "src"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, str(Path(__file__).with_name("hostile_files.py")), str(first), str(count)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0 and lines[-1:] == [{"tried": count}], f"{lines[-3:]}\n{ended.stderr[-3000:]}"
    return lines[:-1]


@pytest.mark.parametrize("kind", good_files())
def test_the_files_are_sound_before_they_are_spoilt(kind, tmp_path):
    for name, data in good_files()[kind].items():
        (tmp_path / name).write_bytes(data)
    opened(kind, tmp_path)


def test_two_hundred_spoilt_files():
    assert in_a_process(0, 200) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(200, 8_200, 1000))
def test_eight_thousand_spoilt_files(first):
    assert in_a_process(first, 1000) == []


@pytest.mark.parametrize("number", [2258])  # scipy's reader of MatrixMarket ended the process
def test_files_that_once_went_wrong(number):
    assert tried(number) is None


def arrays():
    with np.load(io.BytesIO(good_files()["modal"]["body.npz"])) as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda a: a | {"K": a["K"].astype(str)}, "K holds text"),
        (lambda a: a | {"K": np.zeros((5, 5), dtype=[("a", float)])}, "plain arrays"),
        (lambda a: a | {"modal_format": np.array([1, 1])}, "modal_format must be"),
        (lambda a: a | {"stated_mass": 0.0}, "stated_mass is 0"),
        (lambda a: a | {"stated_frequencies_hz": np.zeros(5)}, "must be positive"),
        (lambda a: a | {"frame_nodes": np.array([np.inf])}, "whole numbers"),
        (lambda a: a | {"frame_nodes": np.array([0.5])}, "whole numbers, not 0.5"),
        (lambda a: a | {"shapes": a["shapes"] * (1 + 0.1j)}, "shapes is complex"),
        (lambda a: a | {"nodes": a["nodes"] * (1 + 0.1j)}, "nodes is complex"),
        (lambda a: a | {"K": a["K"] + 1e-3j * np.ones((5, 5))}, "K is complex"),
        (lambda a: a | {"frame_positions": a["frame_positions"] + 0.1j}, "frame_positions is complex"),
        (lambda a: a | {"M": np.diag([1.0, 1, 1, 1, 0])}, "no modal mass"),
        (lambda a: a | {"shapes": 0 * a["shapes"]}, "rigid motion|modal mass"),
        (lambda a: a | {"labels": np.array(["only one"])}, "1 labels for 5 modes"),
        (lambda a: a | {"cells": np.array([[0, 99]])}, "cells must be"),
    ],
)
def test_modal_data_that_cannot_be(change, words, tmp_path):
    np.savez(tmp_path / "a.npz", **change(arrays()))
    with pytest.raises(UsageError, match=words):
        elastic_body_of_modes(read_modal_file(tmp_path / "a.npz"))


def test_archives_that_cannot_be(tmp_path):
    data = good_files()["modal"]["body.npz"]
    first = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    locked = bytearray(data)
    locked[first[0] + 6] |= 1
    locked[first[1] + 8] |= 1
    broken = bytearray(data)
    broken[60:80] = bytes(20)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }".ljust(117) + b"\n"
    huge = io.BytesIO()
    with zipfile.ZipFile(huge, "w") as file:
        file.writestr("K.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    cases = (
        (bytes(locked), "encrypted"),
        (bytes(broken), "damaged|cannot be read"),
        (huge.getvalue(), "1000000000000 numbers"),
    )
    for content, words in cases:
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(UsageError, match=words):
            read_modal_file(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("kind", "file", "old", "new", "words"),
    [
        ("abaqus labels", "K.mtx", b"1,1,1,1", b"1.5,1,1,1", "whole numbers, not 1.5"),
        ("abaqus labels", "job.inp", b"\n1, ", b"\n1.5, ", "1.5 is not a node label"),
        ("abaqus labels", "job.inp", b"1, 5, 2", b"1, 2000000000, 1", "generates 2000000000 nodes"),
        ("abaqus coordinate", "K.mtx", b"36 36", b"2147483648 36", "row 2147483648 is named"),
        ("market", "K.mtx", b"36 36 ", b"2147483648 2147483648 ", "2147483648 rows"),
        ("market", "nodes.txt", b"\n2 ", b"\ninf ", "'inf' is not a node"),
        ("market", "nodes.txt", b"\n2 ", b"\n2.5 ", "whole numbers, not 2.5"),
        ("dmig", "frame.pch", b"1.0642144373D-03", b" " * 16, "is not an entry of the matrix"),
    ],
)
def test_numbers_that_cannot_be(kind, file, old, new, words, tmp_path):
    for name, data in good_files()[kind].items():
        (tmp_path / name).write_bytes(data.replace(old, new, 1) if name == file else data)
        assert name != file or old in data
    with pytest.raises(UsageError, match=words) as caught:
        opened(kind, tmp_path)
    assert file in str(caught.value) or "K.mtx" in str(caught.value)


def test_things_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "empty.npz").touch()
    (tmp_path / "loop.npz").symlink_to(tmp_path / "loop.npz")
    for path, words in (
        (tmp_path, "a folder, not a file"),
        (tmp_path / "pipe.npz", "a pipe, not a file"),
        (tmp_path / "empty.npz", "is empty"),
        (tmp_path / "loop.npz", "loop.npz"),
        (tmp_path / "none.npz", "no such file"),
        (Path("/dev/zero"), "a device, not a file"),
    ):
        for read in (read_modal_file, lambda p: read_mesh(p, STEEL), read_dmig):
            with pytest.raises(UsageError, match=words):
                read(path)
