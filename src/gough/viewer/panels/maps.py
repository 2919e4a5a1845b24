"""The tab of maps: a slice of the workspace coloured by what the robot can do there; a click goes there."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from viser import Icon

from gough.errors import GoughError
from gough.viewer.panels._conditions import finite
from gough.viewer.panels._tables import BOX, line, note, number
from gough.viewer.posing.axes import PosingAxes, ranges_of
from gough.viewer.posing.slices import POINTS, QUANTITIES, Slice, SlicePlan, survey
from gough.viewer.posing.surface import (
    MARKED_COLOUR,
    Scale,
    Surface,
    colours,
    fill_edges,
    has_place,
    picture,
    scale_of,
    surface_of,
)

if TYPE_CHECKING:
    from gough.viewer._session import Session

USUAL_POINTS = 41
NODE = "/map"
PIXELS = 260
"""Of a map that has no place in space."""
ONE = "A map needs two coordinates, and this robot is moved by one."
HINT = (
    "The other coordinates, the load and the drives are those of the Pose tab. Click a point of the map to go there. "
    "Points beyond reach or limits are left out."
)
FLAT = "This slice has no place in space (its coordinates do not move the frame), so it is drawn here."


class MapsPanel:
    """Computes slices in the slow lane, piece by piece, and draws the last one."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.found: Slice | None = None
        self.surface: Surface | None = None
        self._node: Any = None
        self._work: Iterator[float | Slice] | None = None
        with session.tabs.add_tab("Maps", None):
            axes = self._axes()
            if axes is None or len(axes.names) < 2:
                session.gui.add_html(line(ONE))
                return
            self.axes = axes
            self._build()

    def _axes(self) -> PosingAxes | None:
        pose = self.session.panels.get("pose")
        return next(iter(pose.sets.values()), None) if pose is not None else None

    def _build(self) -> None:
        gui = self.session.gui
        titles = tuple(q.title for k, q in QUANTITIES.items() if self.axes.model.driven or not q.equilibrium)
        self._quantity = gui.add_dropdown("Colour", titles)
        names = self.axes.names
        self._first = gui.add_dropdown("Across", names, initial_value=names[0])
        self._second = gui.add_dropdown("Along", names, initial_value=names[1])
        self._ranges = [gui.add_vector2("Range", (0.0, 1.0), step=0.001) for _ in range(2)]
        self._points = gui.add_slider(
            "Points an axis", min=POINTS[0], max=101, step=2, initial_value=USUAL_POINTS, hint="Of a regular grid"
        )
        self._go = gui.add_button("Compute", icon=Icon.MAP)
        self._stop = gui.add_button("Stop", icon=Icon.PLAYER_STOP, visible=False)
        self._bar = gui.add_progress_bar(0.0, visible=False)
        self._said = gui.add_html(note(HINT))
        self._legend = gui.add_html(" ")
        self._image = gui.add_image(np.zeros((2, 2, 3), dtype=np.uint8), visible=False)
        self._shown = gui.add_checkbox("Show map", True, visible=False)
        self._go.on_click(lambda _: self.compute())
        self._stop.on_click(lambda _: self.stop())
        self._shown.on_update(lambda _: self._show(bool(self._shown.value)))
        for k, choice in enumerate((self._first, self._second)):
            choice.on_update(lambda event, k=k: self._range(k) if event.client is not None else None)
            self._range(k)

    def _range(self, k: int) -> None:
        """Offer the slider's range of the chosen coordinate."""
        name = str((self._first, self._second)[k].value)
        if name in self.axes.names:
            own = ranges_of(self.axes)[name]
            turning = self._turns(name)
            factor = 180 / np.pi if turning else 1.0
            self._ranges[k].label = f"{name} ({'°' if turning else 'm'})"
            self._ranges[k].value = (round(own.low * factor, 6), round(own.high * factor, 6))

    def _turns(self, name: str) -> bool:
        return self.axes.units[self.axes.names.index(name)] == "rad"

    def plan(self) -> SlicePlan:
        """What the page asks for; a GoughError says what is wrong with it."""
        pose = self.session.panels["pose"]
        names = str(self._first.value), str(self._second.value)
        bounds = []
        for name, handle in zip(names, self._ranges, strict=True):
            factor = np.pi / 180 if name in self.axes.names and self._turns(name) else 1.0
            low, high = sorted(finite(x) * factor for x in handle.value)
            bounds.append((low, high))
        title = str(self._quantity.value)
        quantity = next((k for k, q in QUANTITIES.items() if q.title == title), title)
        points = int(np.clip(finite(self._points.value), *POINTS))
        (a, b), (c, d) = bounds
        load, hold = pose.conditions.load, pose.conditions.hold
        return SlicePlan(
            self.axes, quantity, names, (a, c), (b, d), (points, points), np.array(pose.poser.q), load, hold
        )

    def compute(self) -> None:
        """Begin a map; one that is under way is dropped."""
        try:
            plan = self.plan()
        except GoughError as error:
            self._said.content = line(str(error), bad=True)
            return
        self._work = survey(plan)
        self._stop.visible = self._bar.visible = True
        self._bar.value = 0.0
        self._said.content = note("computing …")
        self.session.worker.post("map", self._advance, slow=True)

    def _advance(self) -> None:
        """One piece of the work; other computations of the page come between the pieces."""
        work = self._work
        if work is None:
            return
        try:
            step = next(work)
        except GoughError as error:
            self._ended(line(str(error), bad=True))
            return
        except BaseException:
            self._ended(" ")
            raise
        if work is not self._work:
            return
        if isinstance(step, Slice):
            self._ended(note(HINT))
            self.draw(step)
        else:
            self._bar.value = 100.0 * float(step)
            self.session.worker.post("map", self._advance, slow=True)

    def stop(self) -> None:
        """Drop the map under way."""
        if self._work is not None:
            self._ended(note("DownloadStopped."))

    def _ended(self, said: str) -> None:
        self._work = None
        self._stop.visible = self._bar.visible = False
        self._said.content = said

    def draw(self, found: Slice) -> None:
        """Show a slice in the scene, or in the tab where it has no place."""
        scale = scale_of(found)
        surface = surface_of(found, scale)
        self.found, self.surface = found, surface
        placed = has_place(surface, self.session.subject.figure.size)
        self._remove()
        if placed:
            self._add(found, scale, surface)
        self._legend.content = legend(found, scale) + ("" if placed or not found.reachable.any() else note(FLAT))
        self._image.visible = not placed and bool(found.reachable.any())
        if self._image.visible:
            self._image.image = image(found, scale)
        self._shown.visible = placed
        self._shown.value = True

    def _add(self, found: Slice, scale: Scale, surface: Surface) -> None:
        self._node = self.session.scene.add_mesh_trimesh(
            NODE, glowing_mesh(surface, found, scale), cast_shadow=False, receive_shadow=False
        )
        self.session.scene.on_click()(
            self._clicked
        )  # of the scene: a node that can be clicked lights up under the mouse

    def _clicked(self, event: Any) -> None:
        if self.surface is None or self.found is None or self._node is None or not self._node.visible:
            return
        ray = np.array([event.ray_origin, event.ray_direction], dtype=float)
        at = self.surface.hit(ray[0], ray[1]) if np.isfinite(ray).all() else None
        if at is not None:
            names, axes = self.found.plan.names, self.found.plan.axes
            values = dict(zip(axes.names, axes.values(self.found.plan.q).tolist(), strict=True))
            self.session.panels["pose"].go(values | dict(zip(names, at.tolist(), strict=True)))

    def _show(self, shown: bool) -> None:
        if self._node is not None:
            self._node.visible = shown

    def _remove(self) -> None:
        node, self._node = self._node, None
        if node is not None:
            node.remove()
            self.session.scene.remove_click_callback(self._clicked)

    def rest(self) -> None:
        """A map does not move the robot."""

    def close(self) -> None:
        """Drop the work."""
        self._work = None


def glowing_mesh(surface: Surface, found: Slice, scale: Scale) -> Any:
    """The surface as a mesh seen from both sides in the colours of its scale, whatever the light."""
    import trimesh
    from PIL import Image
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    colour = fill_edges(picture(found, scale)).transpose(1, 0, 2)[::-1]
    paint = Image.fromarray((colour * 255).astype(np.uint8))
    material = PBRMaterial(
        emissiveTexture=paint, emissiveFactor=[1, 1, 1], baseColorFactor=[0, 0, 0, 255],
        metallicFactor=0.0, roughnessFactor=1.0, doubleSided=True,
    )  # fmt: skip
    return trimesh.Trimesh(
        surface.vertices, surface.faces, visual=TextureVisuals(uv=surface.uv, material=material), process=False
    )


def legend(found: Slice, scale: Scale) -> str:
    """Title, colour bar with numbers, what is marked, and what the quantity means."""
    quantity = QUANTITIES[found.plan.quantity]
    title = f"{quantity.title} ({found.plan.unit})" if found.plan.unit != "1" else quantity.title
    if not found.reachable.any():
        return line("No point of this slice is within reach and limits.", bad=True)
    stops = ", ".join(_css(colours(np.array(k / 16))) for k in range(17))
    labels = "".join(f"<span>{escape(number(scale.value(k / 4)))}</span>" for k in range(5))
    marked = int(found.marked[found.reachable].sum())
    sign = (
        f'<div><span style="display:inline-block;width:0.8em;height:0.8em;background:{_css(np.array(MARKED_COLOUR))}">'
        f"</span> near a singularity or not stable</div>"
        if marked
        else ""
    )
    spread = " (logarithmic)" if scale.logarithmic else ""
    return (
        f'<div style="{BOX}"><div style="font-weight:600">{escape(title)}{spread}</div>'
        f'<div style="height:12px;border-radius:3px;background:linear-gradient(to right, {stops})"></div>'
        f'<div style="display:flex;justify-content:space-between;font-variant-numeric:tabular-nums">{labels}</div>{sign}'
        f"</div>" + note(_meaning(found))
    )


def _meaning(found: Slice) -> str:
    quantity, plan = QUANTITIES[found.plan.quantity], found.plan
    text = quantity.meaning
    if plan.quantity in ("softest", "stiffest"):
        text += f" ({plan.load.frame})"
    if plan.quantity in ("softest", "stiffest", "frequency"):
        text += f"; drives {plan.hold.kind}" + (f", {number(plan.hold.stiffness)}" if plan.hold.kind == "servo" else "")
    return text[0].upper() + text[1:] + f". {int(found.reachable.sum())} of {found.reachable.size} points reached."


def _css(colour: np.ndarray) -> str:
    return "rgb({}, {}, {})".format(*(round(255 * float(c)) for c in colour))


def image(found: Slice, scale: Scale) -> np.ndarray:
    """The slice as a picture (pixels, pixels, 3), the first coordinate to the right, the second upwards."""
    shown = np.nan_to_num(picture(found, scale), nan=0.5).transpose(1, 0, 2)[::-1]
    rows, columns = (np.arange(PIXELS) * n // PIXELS for n in shown.shape[:2])
    return (shown[rows][:, columns] * 255).astype(np.uint8)
