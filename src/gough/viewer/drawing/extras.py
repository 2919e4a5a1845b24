"""What is drawn on request or where nothing else would be: boxes of equal inertia, named frames, springs."""

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.structure import WORLD
from gough.viewer.drawing.layout import Layout
from gough.viewer.drawing.mesh import Mesh
from gough.viewer.drawing.piece import Piece, Span
from gough.viewer.drawing.places import user_axes
from gough.viewer.drawing.solids import box, rod
from gough.viewer.drawing.sweep import coil

AXIS_COLOURS = ((205, 70, 66), (76, 156, 84), (64, 106, 204))
"""Of x, y, z."""


def inertia_pieces(layout: Layout, numbers: Numbers, shown: set[int]) -> list[Piece]:
    """Of each rigid body with mass the box of its inertia, in group "inertia"; in "bodies" where nothing else shows it."""
    pieces = []
    for i, link in enumerate(layout.mechanism.links):
        if link.ten is None or link.elastic is not None:
            continue
        ten = np.array(numbers.at(link.ten), dtype=float)
        r = layout.radius
        if (mesh := inertia_box(ten, link.to_user, r, 0.5 * layout.size)) is not None:
            pieces.append(Piece(i, mesh, "inertia", "inertia", link.leg))
        if i not in shown and (mesh := inertia_box(ten, link.to_user, 2.2 * r, 5.0 * r)) is not None:
            pieces.append(Piece(i, mesh, "link", "bodies", link.leg))
    return pieces


def inertia_box(ten: np.ndarray, axes: np.ndarray, least: float, most: float) -> Mesh | None:
    """The box of uniform density with mass, mass centre and inertia of `ten` (10,), turned by `axes` (3, 3).

    Its edges are at least and at most so long (m): of a point mass, and of an inertia that no body can have. None without mass.
    """
    mass = ten[0]
    if mass <= 0:
        return None
    centre = ten[1:4] / mass
    xx, xy, xz, yy, yz, zz = ten[4:]
    about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    central = about_origin - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    moments, principal = np.linalg.eigh(central)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass  # m (b² + c²) / 12 and so on, solved
    edges = np.clip(np.sqrt(np.maximum(squares, 0.0)), least, most)
    if np.linalg.det(principal) < 0:
        principal = -principal
    return box(edges).moved(axes @ centre, axes @ principal)


def frame_pieces(layout: Layout, numbers: Numbers) -> list[Piece]:
    """A triad at every named frame, x red, y green, z blue."""
    pieces, length, thin = [], 5.0 * layout.radius, 0.28 * layout.radius
    for frame in layout.mechanism.frames.values():
        R, p = (x.astype(float) for x in numbers.placement(frame.placement))
        A = user_axes(layout.mechanism, frame.link)
        at, turn = A @ p, A @ R
        for k, colour in enumerate(AXIS_COLOURS):
            mesh = rod(at, at + length * turn[:, k], thin, 10)
            pieces.append(Piece(frame.link, mesh, "joint", "frames", -1, colour))
    return pieces


def spring_spans(layout: Layout, numbers: Numbers) -> list[Span]:
    """A coil between the two points of every spring."""
    spans = []
    for spring in layout.mechanism.springs:
        ends = []
        for link, positions in zip(spring.links, spring.points, strict=True):
            ends.append(user_axes(layout.mechanism, link) @ np.array(numbers.at(positions), dtype=float))
        spans.append(Span(spring.links, np.array(ends), coil(1.5 * layout.radius, 0.32 * layout.radius), "spring"))
    return spans


def springs_on(layout: Layout, numbers: Numbers) -> dict[int, list[np.ndarray]]:
    """Where springs hold on bodies: points by link; not the world's."""
    found: dict[int, list[np.ndarray]] = {}
    for span in spring_spans(layout, numbers):
        for link, point in zip(span.links, span.points, strict=True):
            if link != WORLD:
                found.setdefault(link, []).append(point)
    return found
