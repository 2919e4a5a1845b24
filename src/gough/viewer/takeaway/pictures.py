"""Pictures of a scene drawn by a browser: that of an open page, or one without a window that is started for it."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.viewer.scene.stage import Stage
from gough.viewer.subject import Subject
from gough.viewer.takeaway.browser import VARIABLE, find_browser, headless
from gough.viewer.takeaway.camera import Camera
from gough.viewer.takeaway.studio import hidden_server, set_stage, usual_camera

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
    return on_ground(np.asarray(drawn), DARK if dark else LIGHT)


def on_ground(drawn: Array, ground: tuple[int, int, int]) -> Array:
    """RGBA (…, 4) over a ground: (…, 3) uint8; RGB stays as it is."""
    if drawn.shape[-1] == 3:
        return drawn.astype(np.uint8)
    part = drawn[..., 3:].astype(np.float32) / 255.0
    mixed = drawn[..., :3] * part + np.array(ground, dtype=np.float32) * (1.0 - part)
    return np.clip(np.rint(mixed), 0, 255).astype(np.uint8)


class Photographer:
    """A page without a window that shows a subject. show: moves it to a time (s)."""

    def __init__(self, client: Any, stage: Stage | None, camera: Camera, size: tuple[int, int], dark: bool) -> None:
        self.client, self.stage, self.camera, self.size, self.dark = client, stage, camera, size, dark

    def take(self, time: float | None = None) -> Array:
        """A picture (height, width, 3) uint8, at a time (s) of the runs."""
        if self.stage is not None and time is not None:
            with self.client.atomic():
                self.stage.show(time)
        return picture(self.client, *self.size, self.dark, self.camera)


@contextmanager
def photographer(
    subject: Subject, width: int, height: int, dark: bool = False, exaggeration: float = 1.0
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
        with headless(url) as process:
            _wait(came, process)
            client = clients[0]
            client.gui.configure_theme(dark_mode=dark)
            stage = set_stage(client.scene, subject, exaggeration)
            if stage is not None:
                from gough.viewer.takeaway.page import first_trace

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
