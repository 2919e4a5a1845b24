"""Where the viewer listens, whom it serves, and how it ends. Without a browser."""

import contextlib
import logging
import socket
import threading
import time
import urllib.request

import pytest

import gough
from gough.errors import UsageError
from gough.viewer.private_server import Guard, free_port, is_own, own_names
from inner.viewer import Viewer, subject_of

viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def subject():
    return subject_of("five_bar")


@pytest.fixture
def viewer(subject):
    with Viewer(subject, port=0) as made:
        yield made


def connect(viewer: Viewer, address: str = "127.0.0.1", **options):
    from websockets.sync.client import connect

    options = {"subprotocols": [f"viser-v{viser.__version__}"], "max_size": None} | options
    return connect(f"ws://{address}:{viewer.port}", **options)


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


STRANGERS = ("https://evil.example", "null", "http://localhost.evil.example:{port}", "http://127.0.0.1:1", "file://")


def is_refused(viewer: Viewer, address: str, origin: str) -> bool:
    """Whether a page is sent away before it is told anything."""
    from websockets.exceptions import ConnectionClosed

    with connect(viewer, address, origin=origin.format(port=viewer.port)) as page:
        try:
            return not page.recv(timeout=20)
        except ConnectionClosed as closed:
            return closed.rcvd is not None and closed.rcvd.code == 1008


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "::1", "::", socket.gethostname()])
def test_pages_of_other_sites_are_not_served(host: str, subject) -> None:
    """Whatever the server listens at."""
    if ":" in host and not has_ipv6():
        pytest.skip("no IPv6 here")
    with Viewer(subject, host=host, port=0) as viewer:
        address = {"0.0.0.0": "127.0.0.1", "::1": "[::1]", "::": "[::1]"}.get(host, host)
        for origin in STRANGERS:
            assert is_refused(viewer, address, origin), origin
        assert not viewer.sessions
        assert not is_refused(viewer, address, "http://" + address + ":{port}")
        with connect(viewer, address) as program:  # no browser: there is nobody to be fooled
            assert program.recv(timeout=20)


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_own_addresses() -> None:
    local, everywhere, named = own_names("127.0.0.1"), own_names("0.0.0.0"), own_names("lab.example")
    assert is_own("http://localhost:9000", "localhost:9000", local)  # through a tunnel of ssh
    assert is_own("http://[::1]:8080", "[::1]:8080", local) and is_own("https://localhost", "localhost", local)
    assert not is_own("http://localhost:3000", "localhost:8080", local)  # another program on this computer
    assert not is_own("http://evil.example:8080", "evil.example:8080", local)  # a name pointed here
    assert not is_own("http://evil.example:8080", "evil.example:8080", everywhere)
    assert is_own("http://192.168.1.5:8080", "192.168.1.5:8080", everywhere)
    assert not is_own("http://192.168.1.6:8080", "192.168.1.5:8080", everywhere)
    assert is_own(f"http://{socket.gethostname()}:8080", f"{socket.gethostname()}:8080", everywhere)
    assert is_own("http://lab.example:8080", "lab.example:8080", named)
    for origin in (
        "",
        "null",
        "http://",
        "http://[::1",
        "http://localhost:x",
        "ftp://localhost:8080",
        "localhost:8080",
    ):
        assert not is_own(origin, "localhost:8080", local)


def test_a_viser_that_cannot_be_guarded_is_not_started(subject, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names that the guard stands on are there; without them there is no server instead of an open one."""
    from websockets.asyncio import server
    from websockets.asyncio.server import ServerConnection

    assert server.serve is viser.infra._infra.websockets.asyncio.server.serve
    assert hasattr(ServerConnection, "close") and hasattr(ServerConnection, "subprotocol")
    monkeypatch.setattr(Guard, "around", contextlib.nullcontext)
    with pytest.raises(UsageError, match="cannot guard"):
        Viewer(subject, port=0)


def test_troubles_of_pages_do_not_fill_the_terminal(subject, capfd) -> None:
    """Nonsense, texts, old pages and silent visitors: no traceback, whatever the program logs."""
    handler = logging.StreamHandler()
    logging.getLogger().addHandler(handler)
    try:
        with Viewer(subject, port=0) as viewer:
            for payload in (b"\x00" * 40, "a text", b"\xff" * 1000):
                with connect(viewer) as page, contextlib.suppress(Exception):
                    page.send(payload)
                    while page.recv(timeout=5):
                        pass
            for protocol in ("viser-v0.0.1", "chat"):
                with contextlib.suppress(Exception), connect(viewer, subprotocols=[protocol]) as page:
                    page.recv(timeout=5)
            with socket.create_connection(("127.0.0.1", viewer.port)) as silent:
                silent.sendall(b"GET / HTTP/0.0\r\n\x00\r\n\r\n")
            with connect(viewer) as page:
                assert page.recv(timeout=20)
            time.sleep(0.3)
    finally:
        logging.getLogger().removeHandler(handler)
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err and "viser" not in out and len(err.splitlines()) < 4, err


def test_garbage_from_a_page_hurts_nobody(viewer: Viewer) -> None:
    """Bytes that are no message, and messages with code in them, are dropped; the next page is served."""
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
