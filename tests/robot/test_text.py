"""Whatever a path leads to, a reader of text gives the text or an error of the library: no hang, no flood, no raw error."""

import os
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import Run
from gough.errors import GoughError, MissingFileError, UnreadableFileError, UsageError
from gough.robot import DescriptionError, loads
from gough.simulation.motion.spline import read_samples
from gough.text import MOST_BYTES, printable, read_lines, read_text, unprintable, wrong_label
from inner.cli import read_table

YAML_READERS = {"robot": gough.load, "motion": gough.load_motion, "scenario": gough.load_scenario}
CSV_READERS = {"samples": read_samples, "states": read_table, "run": lambda path: Run.load(path, model="five_bar")}
READERS = [(".yaml", name) for name in YAML_READERS] + [(".csv", name) for name in CSV_READERS]
OTHERS = {
    "utf16": "a: 1\nb".encode("utf-16"),
    "utf32": "a: 1\nb".encode("utf-32"),
    "latin1": "tö,ä\n1,2".encode("latin-1"),
    "broken": b"t,x\n0,1\n\xff\xfe",
    "nul": b"t,x\n0,\x00\n",
    "empty": b"",
    "escape": b"t,\x1b[31mx\n0,1\n",
}


def read(suffix: str, reader: str, path: Path):
    return (YAML_READERS if suffix == ".yaml" else CSV_READERS)[reader](path)


@pytest.fixture
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A path that leads to something else than a file that can be read."""
    kind, suffix = request.param
    path = tmp_path / f"it{suffix}"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "endless":
            path.symlink_to("/dev/zero")
        case "loop":
            path.symlink_to(path)
        case "dangling":
            path.symlink_to(tmp_path / "nowhere")
        case "inside a file":
            path.write_text("")
            path = path / f"more{suffix}"
        case "long name":
            path = tmp_path / ("x" * 300 + suffix)
        case "no name":
            path = tmp_path / f"a\0b{suffix}"
        case "huge":
            with open(path, "wb") as file:
                file.truncate(10**11)
        case "growing":
            path.symlink_to("/proc/self/mem")
    return path


PLACES = ["pipe", "folder", "endless", "loop", "dangling", "inside a file", "long name", "no name", "huge", "growing"]


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices of POSIX")
@pytest.mark.parametrize(
    ("place", "suffix", "reader"),
    [((kind, suffix), suffix, reader) for kind in PLACES for suffix, reader in READERS],
    indirect=["place"],
    ids=[f"{reader}-{kind}" for kind in PLACES for _, reader in READERS],
)
def test_places_that_are_no_files(place, suffix, reader):
    with pytest.raises(GoughError) as caught:
        read(suffix, reader, place)
    assert place.name[:20] in str(caught.value) or "\0" in place.name


@pytest.mark.parametrize(("suffix", "reader"), READERS)
@pytest.mark.parametrize("content", OTHERS)
def test_contents_that_are_no_text(content, suffix, reader, tmp_path):
    path = tmp_path / f"it{suffix}"
    path.write_bytes(OTHERS[content])
    with pytest.raises(GoughError, match=f"it{suffix}"):
        read(suffix, reader, path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="rights that bind the user")
def test_files_of_others(tmp_path):
    path = tmp_path / "it.yaml"
    path.write_text("format: 1")
    path.chmod(0)
    with pytest.raises(DescriptionError, match="not readable"):
        gough.load(path)


def test_what_is_missing_is_both_errors(tmp_path):
    for call in (gough.load, gough.load_motion, gough.load_scenario):
        with pytest.raises(MissingFileError) as caught:
            call(tmp_path / "nothing.yaml")
        assert isinstance(caught.value, FileNotFoundError | UsageError)
    with pytest.raises(FileNotFoundError, match="did you mean 'five_bar'"):
        gough.load("five-bar")


def test_a_folder_of_the_name_of_a_robot_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "five_bar").mkdir()
    assert gough.load("five_bar").name == "five_bar"


def test_what_is_no_text_is_told():
    with pytest.raises(UsageError, match="expected a text"):
        loads(b"format: 1")  # type: ignore[arg-type]


def test_text_with_its_mark_and_any_line_ends(tmp_path):
    path = tmp_path / "it.csv"
    path.write_bytes(b"\xef\xbb\xbft,x\r\n0,1\r1,2\n")
    assert [line for _, line in read_lines(path)] == ["t,x", "0,1", "1,2"]
    np.testing.assert_array_equal(read_samples(path)[0]["x"], [1.0, 2.0])
    assert read_text(path).startswith("t,x")


def test_limits_are_told_with_numbers(tmp_path):
    path = tmp_path / "it.yaml"
    path.write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(UnreadableFileError, match="4 MB; at most 4 MB"):
        read_text(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t;x\n0,5;1,5\n", "semicolons|no column t"),
        ("t,x\n0,5,1,5\n", "decimal point"),
        ("t,x\n0,1_0\n", "not a number"),
        ("t,x\n0," + "1" * 200_000 + "\n", "field limit"),
        ("t,=1+1\n0,1\n", "formula"),
        ("t,t\n0,1\n", "twice"),
        ("t,x [" + " " * 60_000 + "m\n0,1\n", "no column|at its ends"),
    ],
)
@pytest.mark.parametrize("reader", ["samples", "states"])
def test_tables_with_mistakes(text, message, reader, tmp_path):
    path = tmp_path / "it.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        CSV_READERS[reader](path)


def npz(path: Path, **arrays) -> bytes:
    np.savez(path, **arrays)
    return path.read_bytes()


def test_arrays_of_states_that_are_damaged_or_foreign(tmp_path, rng):
    path = tmp_path / "it.npz"
    whole = npz(path, q=np.arange(60.0), v=np.ones(3))
    foreign = [
        npz(path, q=np.array(["a"])),
        npz(path, q=np.array([1j])),
        npz(path, **{"\x1b[31m": np.ones(2)}),
        b"",
        b"PK",
    ]
    foreign += [npz(path, q=np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]))]
    cut = [whole[: int(rng.integers(len(whole)))] for _ in range(20)]
    flipped = []
    for _ in range(200):
        data = bytearray(whole)
        data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        flipped.append(bytes(data))
    for k, data in enumerate(foreign + cut + flipped):
        path.write_bytes(data)
        try:
            read_table(path)
        except UsageError as error:
            refused = str(error)
        else:
            refused = "" if k < len(foreign) + len(cut) else "it.npz"  # a flipped bit may change a number, no more
        assert "it.npz" in refused, k


@pytest.mark.parametrize("text", ["\x1b[31m", "\x07", "\x9b", "\u202e", "\u2066", "\u2028", "\ud800", "a\x00"])
def test_characters_that_cannot_be_shown(text):
    assert unprintable(f"ab{text}c") is not None
    assert wrong_label(f"ab{text}c") is not None
    shown = printable(f"ab{text}c")
    assert unprintable(shown) is None
    shown.encode()


@pytest.mark.parametrize("text", ["plain", "Ωμέγα", "日本", "🤖", "a\nb\tc", "$x$", "<b>", "é"])
def test_characters_that_can(text):
    assert unprintable(text) is None
    assert printable(text) == text
