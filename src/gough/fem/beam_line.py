"""The course of a beam: nodes, axes and section of every element, checked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.errors import UsageError
from gough.fem.memory import demand
from gough.fem.sections import Section

BYTES, BYTES_OF_A_PAIR = 1.3e5, 100.0
"""Memory an element takes while matrices are made, and a pair of points while they are checked; measured."""


@dataclass(frozen=True)
class Line:
    """nodes (e + 1, 3); of element i between nodes i and i + 1: length (e,), axes (e, 3, 3) with rows x, y, z, its
    segment (e,) and the section's constants (e, 4): A, Iy, Iz, J."""

    nodes: np.ndarray
    length: np.ndarray
    axes: np.ndarray
    segment: np.ndarray
    sections: tuple[Section, ...]
    constants: np.ndarray
    plane: bool


def line(
    points: object,
    section: Section | Sequence[Section],
    elements: int | Sequence[int],
    section_y: object,
    plane: bool,
) -> Line:
    """The line through points (k, 3), or (k, 2) in the plane; arguments as of `beam_elements`."""
    corner = _corners(points, plane)
    segments = len(corner) - 1
    sections = tuple(section) if isinstance(section, Sequence) else (section,) * segments
    if len(sections) != segments:
        raise UsageError(f"beam: {len(sections)} sections for {segments} segments; give one, or one a segment")
    counts = [elements] * segments if isinstance(elements, int | np.integer) else list(elements)
    if all(isinstance(c, int | np.integer) for c in counts):
        demand(
            BYTES * sum(map(int, counts)), f"beam: {sum(map(int, counts))} elements", "take fewer elements a segment"
        )
    if len(counts) != segments or not all(isinstance(c, int | np.integer) and c >= 1 for c in counts):
        raise UsageError(
            f"beam: elements = {elements!r} must be a whole number >= 1, or one for each of {segments} segments"
        )
    segment = np.repeat(np.arange(segments), counts)
    axes = np.array([_axes(corner[s + 1] - corner[s], sections[s], section_y, plane, s) for s in range(segments)])
    pieces = [corner[:1]] + [
        corner[s] + np.arange(1, counts[s] + 1)[:, None] / counts[s] * (corner[s + 1] - corner[s])
        for s in range(segments)
    ]
    length = np.linalg.norm(np.diff(corner, axis=0), axis=1) / counts
    constants = np.array([_constants(s, plane) for s in sections])
    return Line(np.concatenate(pieces), length[segment], axes[segment], segment, sections, constants[segment], plane)


def _corners(points: object, plane: bool) -> np.ndarray:
    corner = np.array(points, dtype=float)
    if plane and corner.ndim == 2 and corner.shape[1] == 2:
        corner = np.column_stack([corner, np.zeros(len(corner))])
    if corner.ndim != 2 or corner.shape[1] != 3 or len(corner) < 2 or not np.all(np.isfinite(corner)):
        raise UsageError(
            f"beam: points must be at least two finite points (k, 3) in m, got an array of shape {corner.shape}"
        )
    demand(BYTES_OF_A_PAIR * len(corner) ** 2, f"beam: a line through {len(corner)} points", "take fewer points")
    extent = np.linalg.norm(np.ptp(corner, axis=0))
    distance = np.linalg.norm(corner[:, None] - corner[None], axis=-1) + extent * np.eye(len(corner))
    i, j = np.unravel_index(np.argmin(distance), distance.shape)
    if distance[i, j] <= 1e-9 * extent:
        first, second = sorted((int(i), int(j)))
        raise UsageError(
            f"beam: points {first} and {second} coincide at {corner[first].tolist()}: a segment needs a length, and a line "
            "that closes on itself is not supported; leave one out"
        )
    if plane and np.ptp(corner[:, 2]) > 0:
        raise UsageError("beam: with plane=True all points must have the same z; leave plane out for a beam in space")
    return corner


def _axes(direction: np.ndarray, section: Section, section_y: object, plane: bool, segment: int) -> np.ndarray:
    """Rows x (along), y, z of the element's axes."""
    x = direction / np.linalg.norm(direction)
    if plane:
        if section_y is not None:
            raise UsageError("beam: with plane=True the section's y axis lies in the plane; leave section_y out")
        wanted = np.array([-x[1], x[0], 0.0])
    elif section_y is not None:
        wanted = np.asarray(section_y, dtype=float)
        if wanted.shape != (3,) or not np.all(np.isfinite(wanted)) or not np.any(wanted):
            raise UsageError(f"beam: section_y = {section_y!r} must be a direction of three numbers")
    elif section.Iy is not None and abs(section.Iy - section.Iz) <= 1e-12 * section.Iz:
        wanted = np.eye(3)[np.argmin(np.abs(x))]  # any direction will do
    else:
        raise UsageError(
            "beam: this section is not the same about y and z; say with section_y=(x, y, z) where its y axis points"
        )
    y = wanted - (wanted @ x) * x
    size = np.linalg.norm(y)
    if size < 1e-6 * np.linalg.norm(wanted):
        raise UsageError(f"beam: section_y = {wanted.tolist()} is along segment {segment}; take a direction across it")
    y /= size
    return np.array([x, y, np.cross(x, y)])


def _constants(section: Section, plane: bool) -> tuple[float, float, float, float]:
    if not plane and (section.Iy is None or section.J is None):
        raise UsageError("given section: a beam in space needs Iy and J; in the xy plane alone: plane=True")
    return section.area, section.Iy or 0.0, section.Iz, section.J or 0.0
