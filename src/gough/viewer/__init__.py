"""The robot in the browser: pages that show it, move it and play its runs; files to take away."""

from typing import TYPE_CHECKING, Any

from gough.arguments import callback, checked, flag, whole, word

if TYPE_CHECKING:
    from collections.abc import Callable

    from gough.viewer.server import Viewer
    from gough.viewer.takeaway.export import export

__all__ = ["export", "view"]


@checked(host=word, port=whole(0, 65535), dark=flag, plain=flag, open_page=flag, told=callback)
def view(
    *what: Any,
    host: str = "127.0.0.1",
    port: int = 8080,
    dark: bool = False,
    plain: bool = False,
    open_page: bool = False,
    told: "Callable[[str], None] | None" = None,
) -> "Viewer":
    """Start a viewer in the background. what: a model, description, name or path of a robot, or one or two runs or paths.

    host: where it listens, default this computer only. port: the first free one from there on. dark: pages begin dark; plain:
    without shadows and reflections, which want a graphics card.
    open_page: open the default browser. told: gets lines about what happens. Close it with `.close()`, or use `with`.
    """
    from gough.viewer.private_server import import_viser
    from gough.viewer.server import Viewer
    from gough.viewer.subject import subject_of

    import_viser()
    viewer = Viewer(subject_of(*what, dark=dark, plain=plain), host, port, told)
    if open_page:
        import webbrowser

        webbrowser.open(viewer.url)
    return viewer


def __getattr__(name: str) -> Any:
    """`gough.viewer.export`, loaded when first used."""
    if name != "export":
        raise AttributeError(f"module 'gough.viewer' has no attribute {name!r}")
    from gough.viewer.takeaway.export import export

    return export
