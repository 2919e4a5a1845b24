"""A browser without a window, to draw pictures where no page is open: found on the machine, ended whatever happens."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gough.errors import UsageError

VARIABLE = "GOUGH_BROWSER"
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
    "brave-browser",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
"""Where browsers are that are on no search path."""
FLAGS = (
    "--headless=new",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-proxy-server",
)
END_WITHIN = 3.0
"""Seconds until a browser that does not end is killed."""


def find_browser() -> str:
    """The program of a Chromium-like browser; UsageError with the remedy if there is none."""
    told = os.environ.get(VARIABLE)
    if told:
        found = shutil.which(told)
        if found is None:
            raise UsageError(f"{VARIABLE}={told}: no such program; give the path of Chromium, Chrome or Edge")
        return found
    for name in (*NAMES, *PLACES):
        found = shutil.which(name)
        if found is not None:
            return found
    raise UsageError(
        "pictures and videos are drawn by a browser without a window, and none was found: install Chromium, Chrome or Edge "
        f"(Debian: apt install chromium) or set {VARIABLE} to the path of one. An .html file needs none"
    )


@contextlib.contextmanager
def headless(url: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A browser with a page at a url; its profile is a temporary folder. Ended and removed at the end.

    The page itself is small: pictures are drawn at sizes of their own, and what nobody sees should cost little."""
    program = find_browser()
    profile = tempfile.mkdtemp(prefix="gough-browser-")
    root = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
    command = [program, *FLAGS, *root, f"--user-data-dir={profile}", "--window-size=400,300", url]
    process = None
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches us first, and its helpers end with it
        )
        yield process
    except OSError as error:
        raise UsageError(f"{program}: the browser does not start ({error}); set {VARIABLE} to another") from error
    finally:
        if process is not None:
            _end(process)
        shutil.rmtree(Path(profile), ignore_errors=True)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """The browser and the processes it began."""
    _signal(process, signal.SIGTERM)
    try:
        process.wait(END_WITHIN)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_WITHIN)


def _signal(process: "subprocess.Popen[bytes]", which: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, which)
        else:
            process.terminate()
