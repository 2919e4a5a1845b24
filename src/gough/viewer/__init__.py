"""The robot in the browser: pages that show it, move it and play its runs; files to take away."""

from typing import TYPE_CHECKING, Any

from gough.arguments import a_law, a_motion, callback, checked, flag, whole, word

if TYPE_CHECKING:
    from collections.abc import Callable

    from gough.simulation.control.law import Law
    from gough.simulation.motion.motion import Motion
    from gough.viewer.server import Viewer
    from gough.viewer.takeaway.export import export

__all__ = ["export", "view"]


@checked(
    live=flag | a_law,
    motion=a_motion,
    host=word,
    port=whole(0, 65535),
    dark=flag,
    plain=flag,
    open_page=flag,
    told=callback,
)
def view(
    *what: Any,
    live: "bool | Law" = False,
    motion: "Motion | None" = None,
    host: str = "127.0.0.1",
    port: int = 8080,
    dark: bool = False,
    plain: bool = False,
    open_page: bool = False,
    told: "Callable[[str], None] | None" = None,
) -> "Viewer":
    """Start a viewer in the background. what: a model, description, name or path of a robot, or one or two runs or paths.

    live: the robot runs while it is looked at, is pushed by hand, and its law's gains are moved; a law: it begins with that one.
    motion: what the law follows then, default rest at home; without live the robot is shown exactly along it, as `run_along` of
    `gough.motions` has it: nothing is simulated.
    host: where it listens, default this computer only. port: the first free one from there on. dark: pages begin dark; plain:
    without shadows and reflections, which want a graphics card.
    open_page: open the default browser. told: gets lines about what happens. Close it with `.close()`, or use `with`.
    """
    from gough.viewer.private_server import import_viser
    from gough.viewer.server import Viewer
    from gough.viewer.subject import live_subject, motion_subject, subject_of

    import_viser()
    looks = {"dark": dark, "plain": plain}
    if live is False:
        subject = (
            subject_of(*what, **looks) if motion is None else motion_subject(*what, motion=motion, told=told, **looks)
        )
    else:
        subject = live_subject(*what, law=None if isinstance(live, bool) else live, motion=motion, **looks)
    viewer = Viewer(subject, host, port, told)
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
