"""A flexible body deformed and vibrating, as a sum over its mass: moments, momentum of the elastic rates, tied points."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.fem.elastic_body import ElasticBody
from gough.structure.flexible import point_key


@dataclass(frozen=True)
class Bent:
    """A body at elastic coordinates e with rates (n, m); everything in body axes about its origin."""

    body: ElasticBody
    e: np.ndarray
    rates: np.ndarray

    @cached_property
    def _shapes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Integrals of all shapes, own and slaved: MSde (3, k), N1 (k, 3, 3), N2 (k, k, 3, 3)."""
        body, slaved = self.body, self.body.slaved
        if slaved is None:
            return body.MSde, body.N1, body.N2
        m = body.modes
        N2 = np.zeros((m + slaved.own, m + slaved.own, 3, 3))
        N2[:m, :m], N2[m:] = body.N2, slaved.N2
        N2[:m, m:] = slaved.N2[:, :m].transpose(1, 0, 3, 2)
        return np.concatenate([body.MSde, slaved.MSde], axis=1), np.concatenate([body.N1, slaved.N1]), N2

    @cached_property
    def _coordinates(self) -> np.ndarray:
        return self.e if self.body.slaved is None else self.body.slaved.coordinates(self.e)

    @property
    def first_moment(self) -> np.ndarray:
        """∫ r dm (n, 3), kg m."""
        return self.body.MS + self._coordinates @ self._shapes[0].T

    @property
    def inertia(self) -> np.ndarray:
        """∫ (r·r 1 - r rᵀ) dm (n, 3, 3), kg m²."""
        (_, N1, N2), e = self._shapes, self._coordinates
        change = 2.0 * np.einsum("kab,nk->nab", N1, e)
        change = change + np.einsum("klab,nk,nl->nab", N2, e, e, optimize=True)
        return self.body.J + 0.5 * (change + np.swapaxes(change, 1, 2))

    @property
    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """(∫ ṙ dm, ∫ r × ṙ dm) (n, 3) of the elastic rates, the body's axes at rest."""
        (MSde, N1, N2), e = self._shapes, self._coordinates
        rates = self.rates if self.body.slaved is None else self.body.slaved.rates(self.e, self.rates)
        N = np.einsum("kab,nk->nab", N1, rates)
        N = N + np.einsum("lkab,nl,nk->nab", N2, e, rates, optimize=True)
        turning = (N[:, 1, 2] - N[:, 2, 1], N[:, 2, 0] - N[:, 0, 2], N[:, 0, 1] - N[:, 1, 0])
        return rates @ MSde.T, np.stack(turning, axis=1)

    def point(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity (n, 3) of the material attached at `place` (3,), relative to the body's axes."""
        frame = self.body.frames[point_key(place)]
        position, velocity = place + self.e @ frame.translation.T, self.rates @ frame.translation.T
        if frame.second is not None:
            position = position + 0.5 * np.einsum("akl,nk,nl->na", frame.second, self.e, self.e)
            velocity = velocity + np.einsum("akl,nk,nl->na", frame.second, self.e, self.rates)
        return position, velocity
