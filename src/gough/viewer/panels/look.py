"""The tab for how things look: what is drawn, how much deflections are exaggerated, light or dark, camera."""

from typing import TYPE_CHECKING

import numpy as np

from gough.viewer.drawing.camera import FIELD_OF_VIEW, VIEWS, fitting_distance, view_direction
from gough.viewer.panels._tables import BOX, number
from gough.viewer.scene.colours import scale_colours

if TYPE_CHECKING:
    from gough.viewer._session import Session

GROUPS = {"joints": True, "bodies": True, "frames": False, "inertia": False}
"""What can be hidden, and whether it is drawn at first."""
NARROW = 600
"""Pages below this width, pixels, have their panel below."""
DISTANCE = 0.95
"""Of the camera, in diagonals of what is drawn."""


class LookPanel:
    """Switches of the picture; nothing here changes the robot."""

    def __init__(self, session: "Session") -> None:
        self.session, self.view = session, "3/4"
        gui = session.gui
        with session.tabs.add_tab("Look", None):
            if session.subject.figure.skins:
                self._exaggeration()
            with gui.add_folder("Draw"):
                for name, shown in GROUPS.items():
                    self._switch(name, shown)
            with gui.add_folder("Camera"):
                views = gui.add_button_group("View", tuple(VIEWS))
                views.on_click(lambda _: self.look_from(views.value))
            plain = gui.add_checkbox(
                "Plain light",
                session.subject.plain,
                hint="Without shadows and reflections: faster, above all without a graphics card",
            )
            plain.on_update(lambda _: session.light(bool(plain.value)))
            dark = gui.add_checkbox("Dark", session.subject.dark)
            dark.on_update(lambda _: session.dress(bool(dark.value)))
        self.look_from("3/4")

    def look_again(self) -> None:
        """From the same side, at all that stands there now."""
        self.look_from(self.view)

    def _exaggeration(self) -> None:
        session = self.session
        factor = session.gui.add_slider(
            "Exaggeration",
            min=0.0,
            max=3.0,
            step=0.01,
            initial_value=0.0,
            marks=((0.0, "1×"), (1.0, "10×"), (2.0, "100×"), (3.0, "1000×")),
            hint="Deflections are drawn ten to this power times as large as they are",
        )
        told = session.gui.add_markdown("Deflections drawn in true size")

        def changed(_: object) -> None:
            times = float(10 ** np.clip(float(factor.value), 0.0, 3.0))
            session.robot.exaggeration = times
            told.content = (
                "Deflections drawn in true size" if times == 1 else f"Deflections drawn {times:.3g} × as large"
            )
            session.worker.post("draw again", lambda: session.show(session.q))

        factor.on_update(changed)
        legend, drawn = session.gui.add_html(deflection_legend(0.0)), [0.0]

        def shown(_: np.ndarray) -> None:
            largest = session.robot.deflection_range[1]
            if largest != drawn[0]:
                drawn[0] = largest
                legend.content = deflection_legend(largest)

        session.on_show.append(shown)
        shown(session.q)

    def _switch(self, group: str, shown: bool) -> None:
        box = self.session.gui.add_checkbox(group.capitalize(), shown)
        box.on_update(lambda _: self.session.show_group(group, bool(box.value)))

    def look_from(self, view: str) -> None:
        """Move the camera."""
        if view not in VIEWS:
            return
        self.view, stage = view, self.session.stage  # of runs and designs: all that they reach is to be seen
        low, high = self.session.subject.figure.bounds() if stage is None else stage.bounds()
        middle = (np.asarray(low) + np.asarray(high)) / 2
        size = float(np.linalg.norm(np.asarray(high) - np.asarray(low)))
        up = self.session.subject.figure.up
        camera = self.session.client.camera
        camera.up_direction = tuple(up)
        direction, away = view_direction(view, up), DISTANCE * max(size, 1e-6)
        if self.session.subject.study is not None and stage is not None:
            direction = stage.away if view == "3/4" else direction
            camera.fov = FIELD_OF_VIEW
            aspect = self.session.panels["designs"].aspect
            away = fitting_distance(stage.corners() - middle, up, direction, aspect)
        if self.session.width < NARROW:  # its panel covers the lower half of the page
            away, middle = 1.8 * away, middle - 0.6 * size * np.asarray(up)
        camera.position = tuple(middle + away * direction)
        camera.look_at = tuple(middle)

    def rest(self) -> None:
        """Moves nothing."""

    def close(self) -> None:
        """Keeps nothing."""


def deflection_legend(largest: float) -> str:
    """A colour bar from 0 to the largest deflection (m)."""
    stops = ", ".join("rgb({}, {}, {})".format(*colour) for colour in scale_colours(17).round().astype(int))
    unit, factor = ("mm", 1e3) if largest >= 1e-5 else ("µm", 1e6)
    labels = "".join(f"<span>{number(k / 4 * largest * factor)}</span>" for k in range(5))
    return (
        f'<div style="{BOX}"><div style="font-weight:600">Deflection ({unit})</div>'
        f'<div style="height:12px;border-radius:3px;background:linear-gradient(to right, {stops})"></div>'
        f'<div style="display:flex;justify-content:space-between;font-variant-numeric:tabular-nums">{labels}</div></div>'
    )
