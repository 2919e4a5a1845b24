"""The places of a flexible link's elastic coordinates, and of the constants that go with them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Elastic:
    """Elastic coordinates of a link: `modes` of them, the first at `q` in q and at `u` in u.

    Positions in the parameters (-1: a zero that is none) of the constants of `fem.ElasticBody`: MSde 3 a coordinate, MSdd 3
    a pair k <= l (() without stiffening), N1 9 a coordinate, N2 9 a pair (all pairs with stiffening, else k <= l, since then
    N2_lk = N2_klᵀ), M, K, D one a pair k <= l. units: a typical large amplitude of each coordinate.
    """

    q: int
    u: int
    modes: int
    MSde: tuple[int, ...]
    MSdd: tuple[int, ...]
    N1: tuple[int, ...]
    N2: tuple[int, ...]
    M: tuple[int, ...]
    K: tuple[int, ...]
    D: tuple[int, ...]
    units: tuple[float, ...]
    remarks: tuple[str, ...] = ()

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
        return bool(self.MSdd)


@dataclass(frozen=True)
class Tie:
    """How a frame on a flexible link follows its coordinates (at `q`, `u`, `modes` of them); the frame's axes at rest are
    the link's. Positions: translation, turning 3 a coordinate, second 3 a pair k <= l (() without)."""

    q: int
    u: int
    modes: int
    translation: tuple[int, ...]
    turning: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def columns(self) -> range:
        """Positions of the rates that move it in u."""
        return range(self.u, self.u + self.modes)
