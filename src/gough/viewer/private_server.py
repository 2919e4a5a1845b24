"""A server that only its own pages may talk to: who is served, at which port, and what of it reaches the user's terminal.

A browser lets any page open a connection to any address, so a page of another site could drive a viewer behind the user's back.
The Origin that every browser sends must be this server's own address: a name of this computer or an address that was asked for,
at the port that was asked for. A name is not enough where it could be anybody's: one that an attacker's DNS points here.

The check stands around the handler that viser hands to `websockets.asyncio.server.serve`, a public name; where that
is not called any more, no server is started (`Guard.stands`).
"""

import asyncio
import contextlib
import io
import ipaddress
import logging
import socket
import urllib.parse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gough.errors import UsageError

if TYPE_CHECKING:
    import viser

log = logging.getLogger("gough.viewer")

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")
STANDARD = {"http": 80, "https": 443}


class Guard:
    """Of one server. host: where it listens. version: of the pages it talks to."""

    def __init__(self, host: str, version: str) -> None:
        self.names = own_names(host)
        self.protocol = f"viser-v{version}"
        self.stands = False
        self._said: set[str] = set()

    @contextlib.contextmanager
    def around(self) -> Iterator[None]:
        """While viser starts its server."""
        from websockets.asyncio import server

        plain = server.serve

        def serve(handler: Callable[[Any], Any], *arguments: Any, **options: Any) -> Any:
            self.stands = True
            return plain(self._guarded(handler), *arguments, **options | {"logger": silent_logger()})

        server.serve = serve  # type: ignore[misc,assignment]
        try:
            yield
        finally:
            server.serve = plain  # type: ignore[misc]

    def _guarded(self, handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
        async def check(connection: Any) -> None:
            asyncio.get_running_loop().set_exception_handler(self._failed)
            headers = connection.request.headers
            origin, host = headers.get("Origin"), headers.get("Host", "")
            if origin is not None and not is_own(origin, host, self.names):
                log.info("a page of %s was refused", origin)
                await connection.close(1008, "pages of other sites are not served")
                return
            if connection.subprotocol != self.protocol:  # a page of an older server that calls again and again
                await connection.close(1002, "this page is of another version; load it again")
                return
            try:
                await handler(connection)
            except Exception as error:  # what a page sends is no fault of the user
                self._say(f"a page was dropped: {type(error).__name__}: {error}", error)

        return check

    def _failed(self, loop: Any, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._say(f"a message of a page was dropped: {type(error).__name__}: {error}", error)

    def _say(self, text: str, error: Any) -> None:
        """One line, once; the whole story for those who ask for it."""
        log.debug(text, exc_info=error)
        if text not in self._said and len(self._said) < 20:
            self._said.add(text)
            log.info(text)


def silent_logger() -> logging.Logger:
    """For websockets: connections that say nothing, or nonsense, are no news for the user's terminal."""
    quiet = logging.getLogger("gough.viewer.connections")
    quiet.propagate = False
    if not quiet.handlers:
        quiet.addHandler(logging.NullHandler())
    return quiet


def own_names(host: str) -> frozenset[str]:
    """Names by which pages may call a server that listens at `host`."""
    names = {host.strip("[]").lower()} - set(EVERYWHERE)
    if is_loopback(host) or host in EVERYWHERE:
        names |= set(LOOPBACK)
    if not is_loopback(host):
        here = socket.gethostname().lower()
        names |= {here, here.partition(".")[0], f"{here.partition('.')[0]}.local"}
    return frozenset(names - {""})


def is_own(origin: str, host: str, names: frozenset[str]) -> bool:
    """Whether a page from `origin` may talk to the server it asked for as `host` (a Host header)."""
    try:
        page, asked = urllib.parse.urlsplit(origin), urllib.parse.urlsplit(f"//{host}")
        standard = STANDARD.get(page.scheme)
        ports = page.port or standard, asked.port or standard
    except ValueError:
        return False
    if standard is None or not page.hostname or ports[0] != ports[1]:
        return False
    name = page.hostname.lower()
    return name in names or (name == asked.hostname and _is_address(name))


def is_loopback(host: str) -> bool:
    """Whether an address or name is this computer's own, which others cannot reach."""
    plain = host.strip("[]").lower()
    return plain in LOOPBACK or (_is_address(plain) and ipaddress.ip_address(plain.partition("%")[0]).is_loopback)


def _is_address(name: str) -> bool:
    """Numbers cannot be pointed elsewhere, as names can."""
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


LOCAL = "127.0.0.1"
PORTS_TRIED = 100
REMEDY = "the viewer needs viser: pip install 'gough[view]'"


def import_viser() -> Any:
    """viser, or what to install."""
    try:
        import viser
    except ImportError as error:
        raise UsageError(REMEDY) from error
    return viser


def private_server(viser: Any, host: str, port: int, title: str) -> "viser.ViserServer":
    """A server without a way to the internet, which serves no pages of other sites (see `Guard`)."""

    class PrivateServer(viser.ViserServer):
        """Never opens a tunnel to the internet, whatever a page asks for."""

        def request_share_url(self, verbose: bool = True) -> None:
            return None

    guard = Guard(host, viser.__version__)
    with guard.around():
        server = PrivateServer(host=host.strip("[]"), port=port, label=title, verbose=False)
    if not guard.stands:
        server.stop()
        raise UsageError(
            f"viser {viser.__version__} starts its server in a way that gough cannot guard against pages of other sites; "
            f"install another version: pip install 'gough[view]'"
        )
    return server


def free_port(host: str, port: int) -> int:
    """The first port from `port` on at which one can listen."""
    if not 0 <= port <= 65535:
        raise UsageError(f"port {port}: give one from 1 to 65535, or 0 for any that is free")
    for candidate in range(port, min(port + PORTS_TRIED, 65536)):
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host.strip("[]"), candidate))
                probe.listen(1)
                return int(probe.getsockname()[1])
        except (socket.gaierror, UnicodeError):
            raise UsageError(f"host {host!r}: no such address; use 127.0.0.1 for this computer only") from None
        except OSError as error:
            if error.errno in _NOT_HERE:
                raise UsageError(f"host {host!r}: not an address of this computer") from None
    raise UsageError(f"no free port from {port} to {port + PORTS_TRIED - 1} at {host}; give another with --port")


_NOT_HERE = (99, 49, 10049)
"""EADDRNOTAVAIL on Linux, macOS and Windows."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the lines that viser prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
