"""The row "Adams" of [Briot 2014, Table 3], guessed: links of rigid segments, joined from centre to centre by beams without mass.

"8 discrete flexible element by elastic link" is all that the paper says of its model in Adams. Small motions about
q11 = q21 = 0, slides locked, undeformed, in the plane: each body has the place of its origin and an angle. The leg's axis points
along its links. Nothing of the library is used.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.linalg import eigh, null_space

from gough_papers.briot2014.frequencies import ADAMS, NAMES
from gough_papers.briot2014.measured import D13, D14, D15, D16, D17, D21, DENSITY, THICKNESS, WIDTH, YOUNG
from gough_papers.section import Grid

SEGMENTS = 8
"""A link, as printed."""
LINK_12, LINK_14, LINK_24, LINK_17 = (
    (0.843, 0.004, 7.06e-4),
    (0.396, 0.030, 0.003),
    (0.190, 0.011, 9.44e-4),
    (0.177, 0.006, 2.56e-4),
)
"""kg, kg m, kg m² [Briot 2014, Table 2]: m, mx, zz."""


@dataclass
class Plane:
    """Bodies, beams between their origins, and rows of what holds them. Terms: (bodies, matrix of their coordinates)."""

    along: list[float] = field(default_factory=list)
    masses: list[tuple[tuple[int, ...], np.ndarray]] = field(default_factory=list)
    springs: list[tuple[tuple[int, ...], np.ndarray]] = field(default_factory=list)
    rows: list[tuple[tuple[int, ...], np.ndarray]] = field(default_factory=list)

    def add_body(self, along: float, m: float = 0.0, mx: float = 0.0, zz: float = 0.0) -> int:
        """A body whose axis has the angle `along`; m, mx, zz about its origin."""
        self.along.append(along)
        at = mx * np.array([-np.sin(along), np.cos(along)])
        M = np.array([[m, 0, at[0]], [0, m, at[1]], [at[0], at[1], zz]])
        self.masses.append(((len(self.along) - 1,), M))
        return len(self.along) - 1

    def add_beam(self, first: int, second: int, length: float) -> None:
        """Without mass, from origin to origin."""
        section, inertia, L = THICKNESS * WIDTH, WIDTH * THICKNESS**3 / 12, length
        K = np.zeros((6, 6))
        K[np.ix_((0, 3), (0, 3))] = YOUNG * section / L * np.array([[1, -1], [-1, 1]])
        bending = [[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2]]
        bending += [[-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]
        K[np.ix_((1, 2, 4, 5), (1, 2, 4, 5))] = YOUNG * inertia / L**3 * np.array(bending)
        c, s = np.cos(self.along[first]), np.sin(self.along[first])
        turn = np.kron(np.eye(2), [[c, s, 0], [-s, c, 0], [0, 0, 1]])
        self.springs.append(((first, second), turn.T @ K @ turn))

    def fix(self, first: int, at: float, second: int) -> None:
        """The second's origin on the first, `at` from its origin."""
        self.rows.append(((first, second), np.hstack([self._shift(first, at), -np.eye(3)])))

    def join(self, first: int, second: int, at: float) -> None:
        """Both in one point, `at` from either origin."""
        self.rows.append(((first, second), np.hstack([self._shift(first, at), -self._shift(second, at)])[:2]))

    def anchor(self, body: int) -> None:
        """Its origin in the world; it may turn."""
        self.rows.append(((body,), np.eye(3)[:2]))

    def frequencies_hz(self) -> np.ndarray:
        """All, Hz."""
        n = 3 * len(self.along)
        K, M, C = np.zeros((n, n)), np.zeros((n, n)), np.zeros((sum(len(row) for _, row in self.rows), n))
        for whole, terms in ((K, self.springs), (M, self.masses)):
            for bodies, matrix in terms:
                whole[np.ix_(_places(bodies), _places(bodies))] += matrix
        begin = 0
        for bodies, row in self.rows:
            C[begin : begin + len(row), _places(bodies)] = row
            begin += len(row)
        N = null_space(C)
        return np.sqrt(eigh(N.T @ K @ N, N.T @ M @ N, eigvals_only=True)) / (2 * np.pi)

    def _shift(self, body: int, at: float) -> np.ndarray:
        """(3, 3): motion of a point of a body from that of its origin."""
        return np.array([[1, 0, -at * np.sin(self.along[body])], [0, 1, at * np.cos(self.along[body])], [0, 0, 1]])


def segmented_frequencies(segments: int = SEGMENTS, clamped: bool = True) -> np.ndarray:
    """The first six (6,), Hz. clamped: the outer segments of a link are held where it begins and ends, so that half of each
    cannot bend; otherwise half a beam leads to them."""
    plane, angle, pinned = Plane(), np.arccos(0.5 * D21 / (D13 + D14 + D15)), []

    def add_link(before: int, at: float, length: float, after: tuple[float, float, float]) -> int:
        along, step = plane.along[before], length / segments
        m = DENSITY * THICKNESS * WIDTH * step
        parts = [plane.add_body(along, m, 0.0, m * step**2 / 12) for _ in range(segments)]
        for first, second in pairwise(parts):
            plane.add_beam(first, second, step)
        begin, end = plane.add_body(along), plane.add_body(along, *after)
        plane.fix(before, at, begin)
        if clamped:
            plane.fix(begin, step / 2, parts[0])
            plane.fix(parts[-1], step / 2, end)
        else:
            plane.add_beam(begin, parts[0], step / 2)
            plane.add_beam(parts[-1], end, step / 2)
        return end

    for along, fourth in ((angle, LINK_14), (np.pi - angle, LINK_24)):
        second = plane.add_body(along, *LINK_12)
        plane.anchor(second)
        pinned.append(add_link(second, D13, D14, fourth))
    plane.join(pinned[0], pinned[1], D15)
    add_link(pinned[0], D15 + D16, D17, LINK_17)
    return plane.frequencies_hz()[:6]


def segments_grid(fine: np.ndarray) -> Grid:
    """Both ways beside the row "Adams"; fine: the converged mesh, Hz."""
    found = {
        f"{SEGMENTS} rigid segments a link, the outer ones clamped": segmented_frequencies(),
        f"{SEGMENTS} rigid segments a link, half a beam at either end": segmented_frequencies(clamped=False),
    }
    rows = [("paper, Adams, Hz", *(f"{x:.2f}" for x in ADAMS))]
    rows += [(f"{name}, Hz", *(f"{x:.2f}" for x in f)) for name, f in found.items()]
    found["converged mesh"] = fine
    rows += [(f"{name} − Adams, %", *(f"{x:+.1f}" for x in 100 * (f / ADAMS - 1))) for name, f in found.items()]
    title = "The row Adams, guessed: segments joined from centre to centre by beams without mass; with the row known, not counted"
    return Grid(("", *NAMES), tuple(rows), NAMES, title)


def _places(bodies: tuple[int, ...]) -> list[int]:
    """Of their coordinates."""
    return [3 * body + k for body in bodies for k in range(3)]
