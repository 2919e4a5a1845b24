"""Where the viewer listens, whom it serves, and how it ends. Without a browser."""

import socket
import threading
import time
import urllib.request

import pytest

import gough
from gough.errors import UsageError
from gough.viewer.server import Viewer, free_port, is_local
from gough.viewer.subject import subject_of

viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def subject():
    return subject_of("five_bar")


@pytest.fixture
def viewer(subject):
    with Viewer(subject, port=0) as made:
        yield made


def connect(viewer: Viewer, **options):
    from websockets.sync.client import connect

    protocol = f"viser-v{viser.__version__}"
    return connect(f"ws://127.0.0.1:{viewer.port}", subprotocols=[protocol], max_size=None, **options)  # type: ignore[list-item]


def test_listens_at_this_computer_only(viewer: Viewer) -> None:
    page = urllib.request.urlopen(viewer.url, timeout=10).read()
    assert b"<!doctype html" in page[:200].lower()
    own = {str(i[4][0]) for i in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in {"127.0.0.2", *(a for a in own if not a.startswith("127."))}:
        with pytest.raises(OSError):
            socket.create_connection((address, viewer.port), timeout=2).close()


def test_a_busy_port_picks_the_next_and_says_so(subject) -> None:
    said: list[str] = []
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        with Viewer(subject, port=port, told=said.append) as viewer:
            assert viewer.port != port
            assert said == [f"port {port} is taken; using {viewer.port}"]


def test_pages_of_other_sites_are_not_served(viewer: Viewer) -> None:
    from websockets.exceptions import ConnectionClosed

    with connect(viewer, origin="https://evil.example") as stranger, pytest.raises(ConnectionClosed):
        _read_on(stranger)
    with connect(viewer, origin=f"http://localhost:{viewer.port}") as own:
        assert own.recv(timeout=10)
    assert is_local("http://127.0.0.1:8080") and is_local("http://[::1]:1")
    assert not is_local("null") and not is_local("https://localhost.evil.example")


def _read_on(page) -> None:
    while True:
        page.recv(timeout=10)


def test_garbage_from_a_page_hurts_nobody(viewer: Viewer) -> None:
    """Bytes that are no message, and messages with code in them, are dropped; the next page is served."""
    import contextlib

    for payload in (b"\x00" * 40, b"__import__('os').system('true')", b"\xff" * 1000):
        with connect(viewer) as page, contextlib.suppress(Exception):
            page.send(payload)
            page.recv(timeout=1)
    with connect(viewer) as page:
        assert page.recv(timeout=10)


def test_no_tunnel_to_the_internet(viewer: Viewer) -> None:
    assert viewer._server.request_share_url() is None


def test_closing_twice_and_a_clean_end(subject) -> None:
    before = threading.active_count()
    viewer = Viewer(subject, port=0)
    port = viewer.port
    viewer.close()
    viewer.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
    assert "closed" in repr(viewer) and "closed" in viewer._repr_html_()
    end = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() <= before


def test_nothing_is_printed(subject, capfd) -> None:
    Viewer(subject, port=0).close()
    out, err = capfd.readouterr()
    assert out == "" and err == ""


@pytest.mark.parametrize("port", [-1, 70000])
def test_impossible_ports(port: int) -> None:
    with pytest.raises(UsageError, match="port"):
        free_port("127.0.0.1", port)


def test_impossible_hosts() -> None:
    with pytest.raises(UsageError, match=r"host 'no\.such\.host\.invalid'"):
        free_port("no.such.host.invalid", 8080)
    with pytest.raises(UsageError, match="not an address of this computer"):
        free_port("192.0.2.1", 8080)


def test_from_python() -> None:
    model = gough.build("five_bar")
    with model.view(port=0) as viewer:
        assert "iframe" in viewer._repr_html_() and viewer.url in viewer._repr_html_()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ((), "nothing to show"),
        (("five_bar", "delta"), "2 robots"),
        ((3,), "cannot show a int"),
    ],
)
def test_what_cannot_be_shown(what: tuple, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        subject_of(*what)
