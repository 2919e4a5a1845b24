"""The places of a flexible link's elastic coordinates, and of the constants that go with them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ZERO, ONE, MINUS_ONE = -1, -2, -3
NUMBERS = {ZERO: 0.0, ONE: 1.0, MINUS_ONE: -1.0}
"""In the place of a position: the number itself, which is structure."""


def numbers_at(parameters: np.ndarray, positions: Sequence[int]) -> np.ndarray:
    """Numbers (…, k) at k positions of designs (…, n); below 0 stand for numbers themselves."""
    places = np.array(positions, dtype=int)
    own = np.array([NUMBERS.get(i, 0.0) for i in positions])
    return np.where(places >= 0, parameters[..., np.maximum(places, 0)], own)


@dataclass(frozen=True)
class SlavedPlaces:
    """Positions of the constants of `fem.Slaved` with `count` forms of which `own` have a shape of their own.

    forms one a pair k <= l, form by form; along one a coordinate and form, coordinate by coordinate; MSde 3, N1 9 a shape;
    products 9 a pair of a slaved shape with one of the body's, then of two slaved shapes i <= j. stiffening: on,
    moments (slaved shapes are orthonormal, and orthogonal to the body's own) or rigid_motion (without products).
    """

    count: int
    own: int
    forms: tuple[int, ...]
    along: tuple[int, ...]
    MSde: tuple[int, ...]
    N1: tuple[int, ...]
    products: tuple[int, ...]
    stiffening: str


@dataclass(frozen=True)
class Elastic:
    """Elastic coordinates of a link: `modes` of them, the first at `q` in q and at `u` in u.

    Positions in the parameters (-1: a zero that is none) of the constants of `fem.ElasticBody`: MSde 3 a coordinate, N1 9 a
    coordinate, N2 9, M, K, D one a pair k <= l (N2_lk = N2_klᵀ). units: a typical large amplitude of each coordinate.
    slaved: None without stiffening.
    """

    q: int
    u: int
    modes: int
    MSde: tuple[int, ...]
    N1: tuple[int, ...]
    N2: tuple[int, ...]
    M: tuple[int, ...]
    K: tuple[int, ...]
    D: tuple[int, ...]
    units: tuple[float, ...]
    remarks: tuple[str, ...] = ()
    slaved: SlavedPlaces | None = None

    @property
    def columns(self) -> range:
        """Positions of its rates in u."""
        return range(self.u, self.u + self.modes)

    @property
    def coordinates(self) -> slice:
        """Where the elastic coordinates stand in q."""
        return slice(self.q, self.q + self.modes)

    @property
    def stiffened(self) -> bool:
        """Whether displacements of second order are taken along."""
        return self.slaved is not None

    @property
    def stiffening(self) -> str:
        """How: on, moments, rigid_motion or off."""
        return "off" if self.slaved is None else self.slaved.stiffening


@dataclass(frozen=True)
class Tie:
    """How a frame on a flexible link follows its coordinates (at `q`, `u`, `modes` of them); the frame's axes at rest are
    the link's. Positions (below 0: `NUMBERS`): translation, turning 3 a coordinate, second 3 a pair k <= l (() without).
    as_point: its axes stay those of the body, although the frame turns."""

    q: int
    u: int
    modes: int
    translation: tuple[int, ...]
    turning: tuple[int, ...]
    second: tuple[int, ...]
    as_point: bool = False

    @property
    def columns(self) -> range:
        """Positions of the rates that move it in u."""
        return range(self.u, self.u + self.modes)
