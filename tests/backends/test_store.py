"""The cache of compiled objects: reused, and harmless whatever is in the folder."""

from __future__ import annotations

import logging
import multiprocessing
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from backends.kernels import run
from gough.backends import cache
from gough.backends.llvm import Kernel, store
from gough.errors import CacheWarning
from program.specimens import N, random_program


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "said", {})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by one with every compilation."""
    compiled: list[str] = []
    real = store.compile_object
    monkeypatch.setattr(store, "compile_object", lambda ir, target: (compiled.append("x"), real(ir, target))[1])
    return compiled


def results(seed: int = 0, precision: str = "fast") -> np.ndarray:
    rng = np.random.default_rng(0)
    rows = [rng.uniform(0.5, 1.5, (9, N)), rng.uniform(0.5, 1.5, (1, 3))]
    found, _ = run(Kernel(random_program(seed, 60, uniform=True), precision), rows, 9)
    return np.concatenate(found, axis=1)


def test_a_second_kernel_is_not_compiled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = made(monkeypatch)
    first = results()
    np.testing.assert_array_equal(results(), first)
    assert len(compiled) == 1
    results(1)
    results(0, "ieee")
    assert len(compiled) == 3 and len(list(folder.glob("*.kernel"))) == 3


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "foreign", "swapped"])
def test_damaged_files_are_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    first = results()
    (path,) = folder.glob("*.kernel")
    data = path.read_bytes()
    if damage == "swapped":  # a whole file of another program under this name
        results(1)
        (other,) = set(folder.glob("*.kernel")) - {path}
        path.write_bytes(other.read_bytes())
    else:
        changed = {
            "cut": data[: len(data) // 2],
            "flipped": data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
            "empty": b"",
            "foreign": b"%PDF-1.7 something else",
        }
        path.write_bytes(changed[damage])
    compiled = made(monkeypatch)
    with caplog.at_level(logging.WARNING, logger="gough.cache"):
        np.testing.assert_array_equal(results(), first)
    assert len(compiled) == 1 and "made again" in caplog.text
    assert path.read_bytes() == data


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with caplog.at_level(logging.WARNING, logger="gough.cache"):
        assert np.isfinite(results()).all()
    assert "GOUGH_CACHE_DIR" in caplog.text


def test_a_full_disk_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with caplog.at_level(logging.WARNING, logger="gough.cache"):
        assert np.isfinite(results()).all()
    assert "No space left" in caplog.text and not list(folder.iterdir())


def expose(folder: Path, how: str) -> None:
    """Let others write to the folder, its file, or a folder on the way."""
    (file,) = folder.glob("*.kernel")
    place, mode = {
        "folder, group": (folder, 0o770),
        "folder, all": (folder, 0o1777),
        "file, group": (file, 0o660),
        "file, all": (file, 0o666),
        "way": (folder.parent, 0o777),
    }[how]
    place.chmod(mode)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no numbers of users")
@pytest.mark.parametrize("how", ["folder, group", "folder, all", "file, group", "file, all", "way"])
def test_what_others_may_have_written_is_not_run(how: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = results()
    (file,) = folder.glob("*.kernel")
    planted = file.read_bytes()
    expose(folder, how)
    compiled = made(monkeypatch)
    with pytest.warns(CacheWarning, match="others may write") as told:
        np.testing.assert_array_equal([results(), results()], [first, first])
    assert len(told) == 1 and str(folder.parent if how == "way" else folder) in str(told[0].message)
    if how.startswith("file"):  # made again in a folder that is the user's own
        assert len(compiled) == 1 and file.stat().st_mode & 0o077 == 0
    else:
        assert len(compiled) == 2 and file.read_bytes() == planted
        assert "chmod go-w" in str(told[0].message) and "GOUGH_CACHE_DIR" in str(told[0].message)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no numbers of users")
def test_what_belongs_to_others_is_not_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = results()
    compiled = made(monkeypatch)
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 4321)
    with pytest.warns(CacheWarning, match="belongs to") as told:
        np.testing.assert_array_equal(results(), first)
    assert len(told) == 1 and len(compiled) == 1


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="gives files to others")
@pytest.mark.parametrize("what", ["folder", "file", "way", "link"])
def test_files_given_by_others(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "way" / "cache"
    home.mkdir(parents=True)
    home.chmod(0o700)
    link = tmp_path / "link"
    link.symlink_to(home)
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(link))
    first = results()
    (file,) = home.glob("*.kernel")
    place = {"folder": home, "file": file, "way": home.parent, "link": link}[what]
    os.chown(place, 4321, 4321, follow_symlinks=False)
    compiled = made(monkeypatch)
    with pytest.warns(CacheWarning, match="belongs to user 4321"):
        np.testing.assert_array_equal(results(), first)
    assert len(compiled) == 1


def test_links_and_sticky_folders_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Own links are followed; a folder for everybody is no harm where nobody can take away what is not theirs."""
    everybody = tmp_path / "everybody"
    (everybody / "mine").mkdir(parents=True)
    everybody.chmod(0o1777)
    (tmp_path / "link").symlink_to(Path("everybody") / "mine")
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "link" / "cache"))
    compiled = made(monkeypatch)
    results()
    results()
    assert len(compiled) == 1 and len(list((everybody / "mine" / "cache").glob("*.kernel"))) == 1


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_entries_that_are_no_files(kind: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = results()
    (file,) = folder.glob("*.kernel")
    elsewhere = tmp_path / "elsewhere"
    file.rename(elsewhere)
    {"link": lambda: file.symlink_to(elsewhere), "pipe": lambda: os.mkfifo(file), "folder": file.mkdir}[kind]()
    compiled = made(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(results(), first)
    assert len(compiled) == 1


def test_folders_are_made_for_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "new" / "cache"))
    before = os.umask(0)
    try:
        results()
    finally:
        os.umask(before)
    made_now = [tmp_path / "new", tmp_path / "new" / "cache", *(tmp_path / "new" / "cache").iterdir()]
    assert len(made_now) == 3 and all(p.stat().st_mode & 0o077 == 0 for p in made_now)


def test_no_cache_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert np.isfinite(results()).all() and not list(tmp_path.iterdir())


def test_the_oldest_files_go_first(folder: Path, limits) -> None:
    results(0)
    (first,) = folder.glob("*.kernel")
    os.utime(first, (1.0, 1.0))
    limits(cache_bytes=first.stat().st_size + 10)
    results(1)
    assert not first.exists() and len(list(folder.glob("*.kernel"))) == 1


def _in_another_process(folder: str, seed: int) -> list[float]:
    os.environ["GOUGH_CACHE_DIR"] = folder
    return results(seed % 2).ravel().tolist()


@pytest.mark.slow
def test_many_processes_at_once(folder: Path) -> None:
    expected = [results(0).ravel().tolist(), results(1).ravel().tolist()]
    for path in folder.glob("*.kernel"):
        path.unlink()
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        found = pool.starmap(_in_another_process, [(str(folder), k) for k in range(6)])
    assert found == [expected[k % 2] for k in range(6)]
    assert len(list(folder.glob("*.kernel"))) == 2 and not list(folder.glob("*.part"))
