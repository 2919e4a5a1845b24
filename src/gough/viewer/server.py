"""The viewer: where it is, a session for every page, and an end without leftovers."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gough.viewer._session import Session
from gough.viewer.private_server import LOCAL, free_port, import_viser, private_server, quiet
from gough.viewer.subject import ViewSubject

if TYPE_CHECKING:
    import viser

log = logging.getLogger("gough.viewer")

PORT = 8080


class Viewer:
    """A running viewer. url: open it in a browser, as often as you like; every page is on its own.

    host: default this computer only. port: the first that is free from there on. told: gets lines about what happens.
    `wait()` until Ctrl-C; `close()` ends it; `with` does that too. In a notebook it shows itself as a frame.
    """

    def __init__(
        self,
        subject: ViewSubject,
        host: str = LOCAL,
        port: int = PORT,
        told: Callable[[str], None] | None = None,
    ) -> None:
        self.subject = subject
        self.told = told or (lambda text: None)
        self.host = host
        self.sessions: dict[int, Session] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        viser = import_viser()
        subject.figure  # noqa: B018  what is drawn is made before the first page asks
        chosen = free_port(host, port)
        with quiet():
            self._server = private_server(viser, host, chosen, subject.title)
        # Before a page's own messages, or its camera goes astray.
        self._server.scene.set_up_direction(subject.figure.up)
        self.port = int(self._server.get_port())
        if self.port != port:
            self.told(f"port {port} is taken; using {self.port}")
        self._server.on_client_connect(self._connected)
        self._server.on_client_disconnect(self._left)

    @property
    def url(self) -> str:
        """Where the pages are."""
        host = "localhost" if self.host in (LOCAL, "0.0.0.0", "::") else self.host.strip("[]")
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def _connected(self, client: "viser.ClientHandle") -> None:
        waiting = client.add_notification("gough", f"preparing {self.subject.title} …", loading=True)
        try:
            session = Session(client, self.subject, lambda subject: self._renew(client, subject))
            waiting.remove()
        except Exception as error:
            client.add_notification("gough could not build this page", str(error), color="red")
            self.told(f"a page could not be built: {type(error).__name__}: {error}")
            log.debug("a page could not be built", exc_info=error)
            return
        with self._lock:
            self.sessions[client.client_id] = session
            gone = self._closed.is_set() or client.client_id not in self._server.get_clients()
        if gone:
            self._left(client)

    def _renew(self, client: "viser.ClientHandle", subject: ViewSubject) -> None:
        """The page anew for another subject, seen from where it was seen, or as at first where it shows another kind of thing."""
        with self._lock:
            before = self.sessions.get(client.client_id)
        if before is None or self._closed.is_set():
            return
        before.close()
        camera = client.camera
        seen = (np.array(camera.position), np.array(camera.look_at))
        kept = (before.subject.study is None) == (subject.study is None)
        if not kept:
            camera.fov = before.field_of_view
        client.scene.reset()
        client.gui.reset()
        try:
            session = Session(client, subject, lambda other: self._renew(client, other), before.width)
        except Exception as error:
            client.add_notification("gough could not build this page", str(error), color="red")
            self.told(f"a page could not be built: {type(error).__name__}: {error}")
            return
        if kept:
            camera.position, camera.look_at = seen
        with self._lock:
            self.sessions[client.client_id] = session
            gone = self._closed.is_set() or client.client_id not in self._server.get_clients()
        if gone:
            self._left(client)

    def _left(self, client: "viser.ClientHandle") -> None:
        with self._lock:
            session = self.sessions.pop(client.client_id, None)
        if session is not None:
            session.close()

    def wait(self) -> None:
        """Until `close` or Ctrl-C."""
        with contextlib.suppress(KeyboardInterrupt):
            while not self._closed.wait(0.5):
                pass
        self.close()

    def close(self) -> None:
        """End all pages and the server; once more does nothing."""
        if self._closed.is_set():
            return
        self._closed.set()
        with self._lock:
            sessions, self.sessions = list(self.sessions.values()), {}
        for session in sessions:
            session.close()
        with quiet():
            self._server.stop()
            time.sleep(0.05)  # its thread says good-bye after it is joined

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed.is_set() else self.url
        return f"<gough viewer of {self.subject.title}: {state}>"

    def _repr_html_(self) -> str:
        if self._closed.is_set():
            return "<p>this viewer is closed</p>"
        return f'<iframe src="{self.url}" width="100%" height="600" style="border:1px solid #8884"></iframe>'
