"""A flexible body deformed and vibrating, as a sum over its mass: moments, momentum of the elastic rates, tied points."""

from dataclasses import dataclass

import numpy as np

from gough.fem.elastic_body import ElasticBody
from gough.structure.flexible import point_key


@dataclass(frozen=True)
class Bent:
    """A body at elastic coordinates e with rates (n, m); everything in body axes about its origin."""

    body: ElasticBody
    e: np.ndarray
    rates: np.ndarray

    @property
    def first_moment(self) -> np.ndarray:
        """∫ r dm (n, 3), kg m."""
        moment = self.body.MS + self.e @ self.body.MSde.T
        if self.body.MSdd is not None:
            moment = moment + 0.5 * np.einsum("akl,nk,nl->na", self.body.MSdd, self.e, self.e)
        return moment

    @property
    def inertia(self) -> np.ndarray:
        """∫ (r·r 1 - r rᵀ) dm (n, 3, 3), kg m²."""
        change = 2.0 * np.einsum("kab,nk->nab", self.body.N1, self.e)
        change = change + np.einsum("klab,nk,nl->nab", self.body.N2, self.e, self.e)
        return self.body.J + 0.5 * (change + np.swapaxes(change, 1, 2))

    @property
    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """(∫ ṙ dm, ∫ r × ṙ dm) (n, 3) of the elastic rates, the body's axes at rest."""
        linear = self.rates @ self.body.MSde.T
        if self.body.MSdd is not None:
            linear = linear + np.einsum("akl,nk,nl->na", self.body.MSdd, self.e, self.rates)
        N = np.einsum("kab,nk->nab", self.body.N1, self.rates)
        N = N + np.einsum("lkab,nl,nk->nab", self.body.N2, self.e, self.rates)
        turning = (N[:, 1, 2] - N[:, 2, 1], N[:, 2, 0] - N[:, 0, 2], N[:, 0, 1] - N[:, 1, 0])
        return linear, np.stack(turning, axis=1)

    def point(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity (n, 3) of the material attached at `place` (3,), relative to the body's axes."""
        frame = self.body.frames[point_key(place)]
        position, velocity = place + self.e @ frame.translation.T, self.rates @ frame.translation.T
        if frame.second is not None:
            position = position + 0.5 * np.einsum("akl,nk,nl->na", frame.second, self.e, self.e)
            velocity = velocity + np.einsum("akl,nk,nl->na", frame.second, self.e, self.rates)
        return position, velocity
