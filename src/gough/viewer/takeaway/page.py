"""One HTML file that shows a robot or plays runs, without a server and without a network."""

import base64
import html
import json
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gough.errors import UsageError
from gough.simulation.results.run import Run
from gough.viewer._curves import (
    CurvePanel,
    curve_colours,
    curve_panels,
    offered_channels,
    thin_curves,
    usual_channels,
    value_range,
)
from gough.viewer.scene.skins import BANDS, SkinsScene, nice_above
from gough.viewer.scene.stage import RunStage
from gough.viewer.scene.traces import first_trace
from gough.viewer.subject import ViewSubject
from gough.viewer.takeaway._recording import Field, Messages, Node, changing_nodes, pack_nodes, record_frames
from gough.viewer.takeaway.pictures import hidden_server, set_stage, usual_camera

# Flexible bodies in a recording: their surface over the frames, from which the page cuts the bands of colour itself.
#
# Bands have other triangles in every frame; the surface they are cut from keeps its own, is smaller, and can be interpolated.

KIND = "gough surface"
"""Type of the messages that the page cuts."""


class Surfaces:
    """The surfaces of a stage's robots, frame by frame."""

    def __init__(self, stage: RunStage) -> None:
        robots = [robot for robot in (stage.first, stage.second) if robot is not None]
        self._skins: dict[str, SkinsScene] = {r.root: r.skins for r in robots if r.skins is not None}
        self._size = stage.size
        self._vertices: dict[str, list[np.ndarray]] = {root: [] for root in self._skins}
        self._values: dict[str, list[np.ndarray]] = {root: [] for root in self._skins}

    def take(self) -> None:
        """The surfaces as they are shown now."""
        for root, skins in self._skins.items():
            vertices, values = skins.surface
            self._vertices[root].append(vertices.astype(np.float32).ravel())
            self._values[root].append(values.astype(np.float32))

    @property
    def range_m(self) -> float:
        """The deflection (m) of the brightest colour, the same for all frames; 0.0 without flexible bodies."""
        largest = max((float(v.max(initial=0.0)) for values in self._values.values() for v in values), default=0.0)
        return nice_above(largest, 1e-9 * self._size) if self._skins else 0.0

    def without_bands(self, messages: Messages) -> Messages:
        """Messages less those of the bands."""
        return [m for m in messages if not any(m.get("name", "").startswith(f"{root}/skin") for root in self._skins)]

    def nodes(self, before: Messages) -> list[Node]:
        """What the page needs of each robot's surface. before: the scene's messages, of which some are patterns for its own."""
        out = []
        for root, skins in self._skins.items():
            message: dict[str, Any] = {
                "type": KIND,
                "name": f"{root}/skin0",
                "root": f"{root}/skin",
                "bands": BANDS,
                "faces": skins.faces.ravel().tolist(),
                "update": _pattern(before, "SceneNodeUpdateMessage", root) | {"updates": {}},
                "show": _pattern(before, "SetSceneNodeVisibilityMessage", root),
            }
            vertices = np.array(self._vertices[root], dtype=float)
            values = np.array(self._values[root], dtype=float) / self.range_m
            fields = [Field(("vertices",), "<f4", vertices), Field(("values",), "<f4", values)]
            out.append(Node(message, fields))
        return out


def _pattern(before: Messages, kind: str, root: str) -> dict[str, Any]:
    """A message of a kind to a band."""
    return next(dict(m) for m in before if m["type"] == kind and m.get("name", "").startswith(f"{root}/skin"))


MOST_FRAMES = 1500
"""Of a file; longer runs have fewer a second, and the page shows states in between."""
POINTS = 500
"""Of a curve."""
HERE = Path(__file__).parent
Progress = Callable[[float], None]


def html_page(
    subject: ViewSubject,
    *,
    seconds: float | None = None,
    fps: float = 30.0,
    speed: float = 1.0,
    channels: tuple[str, ...] = (),
    dark: bool | None = None,
    exaggeration: float = 1.0,
    progress: Progress | None = None,
) -> str:
    """The text of the file. channels: curves beside the robot, default the usual ones; dark: None as the reader's computer."""
    tell = progress or (lambda part: None)
    panels = shown_panels(subject.runs, channels) if subject.plotted else []
    with hidden_server(subject.title) as server:
        stage = set_stage(server.scene, subject, exaggeration)
        if stage is not None:
            stage.trace(first_trace(subject.runs[0]))
        camera = usual_camera(subject, stage, 960 / 756)
        view = server.initial_camera
        view.position, view.look_at, view.up = camera.position, camera.look_at, camera.up
        view.fov = camera.field_of_view
        times = np.array([0.0]) if stage is None else frame_times(stage, seconds, fps, speed)
        if stage is not None:
            stage.show(float(times[0]))
        text = server.get_scene_serializer().as_html(dark_mode=bool(dark))
        frames, deflection = b"", 0.0
        if stage is not None and len(times) > 1:
            surfaces = Surfaces(stage)
            before, messages = record_frames(server, _frame_drawings(stage, times, surfaces, tell))
            moved = changing_nodes(surfaces.without_bands(before), [surfaces.without_bands(m) for m in messages])
            deflection = surfaces.range_m
            sampled = [np.interp(times, c.time, c.values) for panel in panels for c in panel.curves]
            values = np.stack(sampled, axis=1) if sampled else np.zeros((len(times), 0))
            frames = pack_nodes([*moved, *surfaces.nodes(before)], values)
    tell(1.0)
    about = _about(subject, times, panels, speed) | {"notes": _notes(subject.remark, deflection, exaggeration)}
    return _with_player(text, about, frames, dark)


def _frame_drawings(
    stage: RunStage, times: np.ndarray, surfaces: Surfaces, tell: Progress
) -> Iterator[Callable[[], None]]:
    def draw(time: float) -> None:
        stage.show(time)
        surfaces.take()

    for k, time in enumerate(times):
        tell(0.9 * k / len(times))
        yield lambda time=float(time): draw(time)


def _notes(remark: str, deflection: float, exaggeration: float) -> str:
    if not deflection:
        return remark
    drawn = "" if exaggeration == 1 else f", drawn {exaggeration:g} × as large"
    colours = f"Deflection: dark 0, bright {1000 * deflection:g} mm{drawn}"
    return f"{remark}. {colours}" if remark else colours


class Lasting(Protocol):
    """Something that moves from a time to a time (s)."""

    start: float
    end: float


def frame_times(stage: Lasting, seconds: float | None, fps: float, speed: float, most: int = MOST_FRAMES) -> np.ndarray:
    """Times (s) of the frames of a file: `fps` a second of a playback at `speed`, ends included, at most so many."""
    for name, value in (("fps", fps), ("speed", speed), ("seconds", seconds)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise UsageError(f"{name}={value!r}: give a number above 0")
    end = stage.end if seconds is None else min(stage.start + seconds, stage.end)
    count = int(np.ceil((end - stage.start) * fps / speed * (1 - 1e-12))) + 1
    return np.linspace(stage.start, end, min(max(count, 1), most))


def shown_panels(runs: tuple[Run, ...], channels: tuple[str, ...]) -> list[CurvePanel]:
    """The panels of named channels, of the usual ones without names; unknown names are refused."""
    for name in channels:
        if not runs:
            raise UsageError(f"channel {name!r}: a robot without a run has none")
        if name not in offered_channels(runs) and not any(name in run for run in runs):
            runs[0].channel(name)  # says which names are near
    names = channels or (usual_channels(runs[0]) if runs else ())
    return [panel for name in names for panel in curve_panels(runs, name)]


def _about(subject: ViewSubject, times: np.ndarray, panels: list[CurvePanel], speed: float) -> dict[str, Any]:
    span = float(times[-1] - times[0])
    return {
        "title": subject.title,
        "start": float(times[0]),
        "end": float(times[-1]),
        "times": [float(f"{t:.9g}") for t in times],
        "digits": 3 if span < 20 else 2,
        "speed": speed,
        "autoplay": True,
        "panels": [_panel(panel, float(times[0]), float(times[-1])) for panel in panels],
    }


def _panel(panel: CurvePanel, start: float, end: float) -> dict[str, Any]:
    curves = []
    for curve, colour in zip(panel.curves, curve_colours(panel), strict=True):
        inside = (curve.time >= start) & (curve.time <= end)
        t, v = thin_curves(curve.time[inside], curve.values[inside, None], POINTS)
        values = [_short(x) for x in v[:, 0]]
        curves.append(
            {
                "name": f"{curve.name} ({curve.role})" if curve.role else curve.name,
                "colour": colour,
                "dashed": curve.run > 0 or bool(curve.role),
                "t": [_short(x) for x in t],
                "v": values,
            }
        )
    return {"label": panel.label, "range": value_range(panel), "curves": curves}


def _short(x: float) -> float | None:
    return float(f"{x:.6g}") if np.isfinite(x) else None


def _with_player(text: str, about: dict[str, Any], frames: bytes, dark: bool | None) -> str:
    theme = "matchMedia('(prefers-color-scheme: dark)').matches" if dark is None else str(dark).lower()
    head = (
        f"<title>{html.escape(about['title'])}</title>"
        f"<script>window.__VISER_EMBED_CONFIG__={{darkMode:{theme}}};"
        f"document.documentElement.classList.toggle('gough-dark',{theme});</script>"
        f"<style>{(HERE / 'player.css').read_text(encoding='utf-8')}</style>"
    )
    body = _BODY.format(
        title=html.escape(about["title"]),
        notes=html.escape(about["notes"]),
        about=json.dumps(about).replace("<", "\\u003c"),
        frames=base64.b64encode(frames).decode(),
        script=(HERE / "player.js").read_text(encoding="utf-8"),
    )
    text = text.replace("<title>Viser</title>", "", 1)
    end = text.index("</head>")
    text = text[:end] + head + _notices() + text[end:]
    end = text.rindex("</body>")
    return text[:end] + body + text[end:]


def _notices() -> str:
    """What the page holds that others wrote, with the texts of their licences as its installed copy has them."""
    package = distribution("viser")
    licences = [p for p in package.files or () if p.name.upper().startswith(("LICENSE", "LICENCE", "NOTICE"))]
    texts = [p.locate().read_text(encoding="utf-8").strip() for p in licences]  # type: ignore[attr-defined]
    words = f"This page holds the client of viser {package.version}, with what that is built of (three.js among it)."
    inside = "\n\n".join([words, *texts]).replace("<", "&lt;")
    return f'<script type="text/plain" id="notices">\n{inside}\n</script>'


_BODY = """
<aside id="gough-side"><header><h1>{title}<small>{notes}</small></h1>
<button id="gough-hide" title="Hide or show the curves">☰</button></header>
<div id="gough-plots"></div></aside>
<nav id="gough-bar"><button id="gough-play" title="Play or pause (space)">▶</button>
<input id="gough-slider" type="range" step="any" aria-label="Time (s)">
<span id="gough-time"></span>
<select id="gough-speed" aria-label="Speed"><option value="0.1">0.1×</option><option value="0.2">0.2×</option>
<option value="0.5">0.5×</option><option value="1" selected>1×</option><option value="2">2×</option>
<option value="5">5×</option><option value="10">10×</option></select>
<label><input id="gough-loop" type="checkbox" checked> Loop</label></nav>
<script type="application/json" id="gough-about">{about}</script>
<script type="application/octet-stream" id="gough-frames">{frames}</script>
<script>{script}</script>
"""
