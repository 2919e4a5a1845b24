"""Pictures of a scene drawn by a browser: that of an open page, or one without a window that is started for it,
on a private server: on this computer only, at a port of its own, gone when the file is written."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.errors import GoughError, UsageError
from gough.model import Model
from gough.viewer.drawing.camera import Camera, camera_for
from gough.viewer.private_server import LOCAL, free_port, import_viser, private_server, quiet
from gough.viewer.scene.robot import RobotScene
from gough.viewer.scene.stage import RunStage
from gough.viewer.scene.traces import first_trace
from gough.viewer.subject import ViewSubject
from gough.viewer.takeaway._front import set_front


@contextmanager
def hidden_server(title: str) -> Iterator[Any]:
    """A server of viser that only this process knows of."""
    viser = import_viser()
    with quiet():
        server = private_server(viser, LOCAL, free_port(LOCAL, 0), title)
    try:
        yield server
    finally:
        with quiet():
            server.stop()


def _at_rest(model: Model) -> np.ndarray:
    """Home (nq,), bent by gravity where there is an equilibrium."""
    if not model.layout.n_elastic or not model.driven:
        return model.home
    try:
        return np.asarray(static_equilibrium(model, q=model.home).q)
    except GoughError:
        return model.home


def set_stage(scene: Any, subject: ViewSubject, exaggeration: float = 1.0) -> RunStage | None:
    """Draw a subject; a stage if there are runs."""
    if not subject.runs:
        robot = RobotScene(scene, subject.figure)
        robot.exaggeration = exaggeration
        robot.show(_at_rest(subject.model))
        return None
    stage = RunStage(scene, subject)
    for robot in (stage.first, stage.second):
        if robot is not None:
            robot.exaggeration = exaggeration
    stage.show(stage.start)
    return stage


def usual_camera(subject: ViewSubject, stage: RunStage | None, aspect: float) -> Camera:
    """A camera that sees everything over the whole of the runs."""
    up = np.asarray(subject.figure.up, dtype=float)
    bounds = np.asarray(subject.figure.bounds(), dtype=float) if stage is None else stage.bounds()
    return camera_for(bounds, up, aspect)


Array = np.ndarray

LIGHT, DARK = (255, 255, 255), (26, 27, 30)
"""Backgrounds."""
CONNECT_WITHIN, DRAW_WITHIN = 60.0, 120.0
"""Seconds to wait for the browser, and for a picture."""
LEAST, MOST = 16, 8192
"""Pixels a side."""


def check_size(width: int, height: int) -> None:
    """Refuse sizes that no browser draws."""
    for name, value in (("width", width), ("height", height)):
        if not (isinstance(value, int | np.integer) and LEAST <= value <= MOST):
            raise UsageError(f"{name}={value!r}: give {LEAST} to {MOST} pixels")


def picture(client: Any, width: int, height: int, dark: bool, camera: Camera | None = None) -> Array:
    """What a page shows (height, width, 3) uint8, from its own camera or another, on a light or dark ground."""
    view = {} if camera is None else {"wxyz": camera.wxyz, "position": camera.position, "fov": camera.field_of_view}
    try:
        drawn = client.get_render(height, width, transport_format="png", timeout=DRAW_WITHIN, **view)
    except TimeoutError:
        raise UsageError(f"the browser drew nothing in {DRAW_WITHIN:g} s; try a smaller picture") from None
    except RuntimeError as error:
        raise UsageError(f"the browser could not draw the picture ({error}); try a smaller one") from error
    return _on_ground(np.asarray(drawn), DARK if dark else LIGHT)


def _on_ground(drawn: Array, ground: tuple[int, int, int]) -> Array:
    """RGBA (…, 4) over a ground: (…, 3) uint8; RGB stays as it is."""
    if drawn.shape[-1] == 3:
        return drawn.astype(np.uint8)
    part = drawn[..., 3:].astype(np.float32) / 255.0
    mixed = drawn[..., :3] * part + np.array(ground, dtype=np.float32) * (1.0 - part)
    return np.clip(np.rint(mixed), 0, 255).astype(np.uint8)


class Photographer:
    """A page without a window that shows a subject. show: moves it to a time (s)."""

    def __init__(self, client: Any, stage: RunStage | None, camera: Camera, size: tuple[int, int], dark: bool) -> None:
        self.client, self.stage, self.camera, self.size, self.dark = client, stage, camera, size, dark

    def take(self, time: float | None = None) -> Array:
        """A picture (height, width, 3) uint8, at a time (s) of the runs."""
        if self.stage is not None and time is not None:
            with self.client.atomic():
                self.stage.show(time)
        return picture(self.client, *self.size, self.dark, self.camera)


@contextmanager
def photographer(
    subject: ViewSubject, width: int, height: int, dark: bool = False, exaggeration: float = 1.0
) -> Iterator[Photographer]:
    """Start a server and a browser without a window, draw the subject, and end both afterwards."""
    check_size(width, height)
    find_browser()  # said before anything is computed
    came = threading.Event()
    with hidden_server(subject.title) as server:
        clients: list[Any] = []

        def connected(client: Any) -> None:
            clients.append(client)
            came.set()

        server.on_client_connect(connected)
        url = f"http://127.0.0.1:{server.get_port()}/?fixedDpr=1"  # else lines get thicker when the browser is slow
        with start_browser(url) as process:
            _wait(came, process)
            client = clients[0]
            client.gui.configure_theme(dark_mode=dark)
            stage = None
            if subject.study is not None:
                camera = set_front(client.scene, subject, width / height)
            else:
                stage = set_stage(client.scene, subject, exaggeration)
                if stage is not None:
                    stage.trace(first_trace(subject.runs[0]))
                camera = usual_camera(subject, stage, width / height)
            man = Photographer(client, stage, camera, (width, height), dark)
            man.take()  # the first may come before all of it is loaded
            yield man


def _wait(came: threading.Event, process: Any) -> None:
    for _ in range(int(CONNECT_WITHIN / 0.25)):
        if came.wait(0.25):
            return
        if process.poll() is not None:
            raise UsageError(
                f"the browser ended at once (exit code {process.returncode}); set {VARIABLE} to another one"
            )
    raise UsageError(f"the browser did not connect in {CONNECT_WITHIN:g} s; set {VARIABLE} to another one")


def shoot(
    take: Callable[[float], Array], times: Iterable[float], add: Callable[[Array], None], tell: Callable[[int], None]
) -> None:
    """Take pictures at times (s), each handed on before the next is taken."""
    for k, time in enumerate(times):
        tell(k)
        add(take(float(time)))


# A browser without a window, to draw pictures where no page is open: found on the machine, ended whatever happens.

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
def start_browser(url: str) -> Iterator["subprocess.Popen[bytes]"]:
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
