"""Draws the turning pictures of the gallery's page: `python docs/site/turntables.py [ROBOT …]`, default all robots.

Each goes into docs/images/gallery/ROBOT.webp. The shapes are those of the viewer: its own scene is built on nodes that only
remember what they are given. They are drawn here, point by point with a depth for each pixel, so that neither a browser nor a
graphics card is needed; a robot takes a few seconds.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import gough
from gough.robot import gallery
from gough.viewer.drawing.camera import FIELD_OF_VIEW, fitting_distance, view_direction
from gough.viewer.drawing.figure import Figure
from gough.viewer.scene.robot import RobotScene
from gough.viewer.subject import subject_of
from gough.viewer.takeaway.pictures import _at_rest

FOLDER = Path(__file__).resolve().parents[1] / "images" / "gallery"
WIDTH, HEIGHT, LARGER = 240, 200, 2
"""Pixels of a picture; it is drawn so many times as large and made smaller, for smooth edges."""
FRAMES, SECONDS, QUALITY = 20, 6.0, 55
AMBIENT, LIGHT = 0.45, np.array([0.4, -0.5, 0.77])
"""Light from everywhere; direction to the lamp in the camera's axes turned with it: right, towards the robot, up."""
Array = np.ndarray


class Node:
    """What a scene's node is told, remembered."""

    def __init__(self, name: str, **told: Any) -> None:
        self.name, self.visible = name, True
        self.position, self.wxyz, self.scale = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 1.0
        self.__dict__.update(told)

    def remove(self) -> None:
        """Not drawn any more."""
        self.visible = False


class Scene:
    """Nodes by their paths, as the viewer's scene has them."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}

    def add_frame(self, name: str, **told: Any) -> Node:
        """A place that others stand on."""
        return self._add(Node(name, **told))

    def add_mesh_simple(self, name: str, vertices: Array, faces: Array, color: Any, **_: Any) -> Node:
        """A surface of one colour."""
        return self._add(Node(name, vertices=np.asarray(vertices), faces=np.asarray(faces), color=color))

    def _add(self, node: Node) -> Node:
        self.nodes[node.name] = node
        return node

    def triangles(self) -> tuple[Array, Array]:
        """Corners (n, 3, 3) in the world and colours (n, 3)."""
        corners, colours = [np.zeros((0, 3, 3))], [np.zeros((0, 3))]
        for node in self.nodes.values():
            faces = getattr(node, "faces", np.zeros((0, 3), dtype=int))
            if node.visible and len(faces):
                corners.append(self._in_world(node)[np.asarray(faces, dtype=int)])
                colours.append(np.tile(np.asarray(node.color, dtype=float)[:3], (len(faces), 1)))
        return np.concatenate(corners), np.concatenate(colours)

    def _in_world(self, node: Node) -> Array:
        points = np.asarray(node.vertices, dtype=float) * np.asarray(node.scale, dtype=float)
        name = node.name
        while name:
            if (at := self.nodes.get(name)) is not None:
                points = points @ _rotation(at.wxyz).T + np.asarray(at.position, dtype=float)
            name = name.rpartition("/")[0]
        return points


def _rotation(wxyz: Any) -> Array:
    w, x, y, z = np.asarray(wxyz, dtype=float)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def picture(corners: Array, colours: Array, axes: Array, eye: Array) -> Image.Image:
    """Triangles as a camera sees them. axes (3, 3): rows right, forwards, up of the camera; eye (3,): where it stands."""
    width, height = LARGER * WIDTH, LARGER * HEIGHT
    seen = (corners - eye) @ axes.T
    normals = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    size = np.linalg.norm(normals, axis=1)
    whole = (size > 0) & (seen[:, :, 1] > 0).all(axis=1)
    seen, colours, normals = seen[whole], colours[whole], normals[whole] / size[whole, None]
    bright = AMBIENT + (1 - AMBIENT) * np.abs(normals @ (LIGHT / np.linalg.norm(LIGHT)))
    scale = height / 2 / np.tan(FIELD_OF_VIEW / 2)
    flat = np.stack([seen[:, :, 0] / seen[:, :, 1], -seen[:, :, 2] / seen[:, :, 1]], axis=2) * scale
    points, depths, owner = _filled(flat, seen[:, :, 1])
    column, row = (points + [width / 2, height / 2]).astype(int).T
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    pixel, depths, owner = (row * width + column)[inside], depths[inside], owner[inside]
    order = np.argsort(-depths, kind="stable")  # the nearest is written last
    image = np.full((height * width, 3), 255.0)
    image[pixel[order]] = (colours * bright[:, None])[owner[order]]
    drawn = Image.fromarray(np.clip(image, 0, 255).astype(np.uint8).reshape(height, width, 3))
    return drawn.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


STEPS = np.unique(np.ceil(np.sqrt(2.0) ** np.arange(24)).astype(int))
"""Numbers of parts of a side that are used, so that many triangles are filled at once."""


def _filled(flat: Array, depth: Array) -> tuple[Array, Array, Array]:
    """Points (m, 2) that leave no pixel of triangles (n, 3, 2) out, their depths, and whose they are."""
    sides = np.linalg.norm(flat - np.roll(flat, -1, axis=1), axis=2)
    order = (np.argmax(sides, axis=1)[:, None] + np.arange(3)) % 3  # the longest side first: corners 0 and 1
    triangles = np.concatenate([flat, depth[:, :, None]], axis=2)[np.arange(len(flat))[:, None], order]
    long, short = triangles[:, 1, :2] - triangles[:, 0, :2], triangles[:, 2, :2] - triangles[:, 0, :2]
    length = np.linalg.norm(long, axis=1)
    height = np.abs(long[:, 0] * short[:, 1] - long[:, 1] * short[:, 0]) / np.maximum(length, 1e-9)
    parts = [STEPS[np.minimum(np.searchsorted(STEPS, x / 0.7), len(STEPS) - 1)] for x in (length, height)]
    found = []
    for n, m in np.unique(np.stack(parts, axis=1), axis=0):
        own = np.flatnonzero((parts[0] == n) & (parts[1] == m))
        s, t = (x.ravel() for x in np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, m + 1), indexing="ij"))
        weights = np.stack([(1 - t) * (1 - s), (1 - t) * s, t], axis=1)
        found.append(((weights @ triangles[own]).reshape(-1, 3), np.repeat(own, len(weights))))
    points, owner = np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])
    return points[:, :2], points[:, 2], owner


def views(figure: Figure, points: Array) -> list[tuple[Array, Array]]:
    """Axes and places of a camera that goes once around a robot and always sees all its points (n, 3)."""
    up = np.asarray(figure.up, dtype=float)
    up = up / np.linalg.norm(up) if np.linalg.norm(up) > 0 else np.array([0.0, 0.0, 1.0])
    start = view_direction("3/4", up)
    along, flat = up * (up @ start), start - up * (up @ start)
    turns = 2 * np.pi * np.arange(FRAMES) / FRAMES
    aways = [along + np.cos(turn) * flat + np.sin(turn) * np.cross(up, flat) for turn in turns]
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    distance = max(fitting_distance(points - middle, up, away, WIDTH / HEIGHT) for away in aways)
    out = []
    for away in aways:
        right = np.cross(up, away) / np.linalg.norm(np.cross(up, away))
        out.append((np.stack([right, -away, np.cross(away, right)]), middle + distance * away))
    return out


def draw(name: str) -> Path:
    """One turn of a robot at rest at home."""
    subject = subject_of(gough.load(name))
    scene = Scene()
    RobotScene(scene, subject.figure, ground=False, upright=True).show(_at_rest(subject.model))
    corners, colours = scene.triangles()
    pictures = [picture(corners, colours, axes, eye) for axes, eye in views(subject.figure, corners.reshape(-1, 3))]
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.webp"
    pause = round(1000 * SECONDS / FRAMES)
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=pause, loop=0, quality=QUALITY, method=4)
    return path


if __name__ == "__main__":
    for robot in sys.argv[1:] or gallery():
        written = draw(robot)
        print(f"{written.name}: {written.stat().st_size // 1024} KiB", flush=True)
