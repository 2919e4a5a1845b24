import os
import stat
import sys
import time
from pathlib import Path

import pytest

from gough.errors import UsageError
from gough.viewer.takeaway.pictures import VARIABLE, find_browser, start_browser


def test_without_a_browser_the_remedy_is_told(monkeypatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match=rf"install Chromium.*{VARIABLE}"):
        find_browser()
    monkeypatch.setenv(VARIABLE, "/nowhere/chromium")
    with pytest.raises(UsageError, match="/nowhere/chromium: no such program"):
        find_browser()


@pytest.mark.skipif(os.name != "posix", reason="a script as a program")
@pytest.mark.parametrize("stubborn", [False, True])
def test_the_browser_ends_with_its_helpers_and_its_profile_goes(
    stubborn: bool, tmp_path: Path, monkeypatch, limits
) -> None:
    """A stand-in that starts a helper of its own, and that may not listen when it is asked to end."""
    stand_in = tmp_path / "chromium"
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " if stubborn else ""
    stand_in.write_text(
        f"#!{sys.executable}\n{deaf}\nimport subprocess, sys, pathlib, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(tmp_path / 'pids')!r}).write_text(f'{{child.pid}} ' + ' '.join(sys.argv[1:]))\ntime.sleep(60)\n"
    )
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(VARIABLE, str(stand_in))
    limits(browser_end_s=0.3)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(KeyboardInterrupt), start_browser("http://127.0.0.1:1") as process:  # noqa: PT012
        while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text():
            time.sleep(0.02)
        assert list(tmp_path.glob("gough-browser-*"))
        raise KeyboardInterrupt
    assert process.poll() is not None
    words = (tmp_path / "pids").read_text().split()
    assert "http://127.0.0.1:1" in words and any(w.startswith("--user-data-dir=") for w in words)
    for _ in range(200):
        if not alive(int(words[0])):
            break
        time.sleep(0.02)
    assert not alive(int(words[0])) and not list(tmp_path.glob("gough-browser-*"))


def alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    if status.exists():
        return status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc").exists()


def test_a_program_that_does_not_start_is_named(tmp_path: Path, monkeypatch) -> None:
    broken = tmp_path / "chromium"
    broken.write_bytes(b"\x7fnot a program")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(VARIABLE, str(broken))
    with pytest.raises(UsageError, match="does not start"), start_browser("http://127.0.0.1:1"):
        pass
