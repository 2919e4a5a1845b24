"""How the constants of a flexible body follow its modulus, its density and its damping.

Shapes of a body of one material do not change with E (Poisson's ratio held) or with the density: stiffness is proportional to E,
every integral over the mass to the density. Damping follows both as the description says it: ratios of modes as 2 ζ √(K M),
Rayleigh's as α M + β K; what a file states stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.fem.reduction.damping import ModalRatio, damping_matrix
from gough.robot.flexible import Flexible
from gough.robot.tree import bodies
from gough.structure.mechanism import Link

if TYPE_CHECKING:
    from gough.robot.robot import Robot

UNITS = {"E": "Pa", "density": "kg/m3", "stiffness_factor": "1", "damping.factor": "1", "damping.ratio": "1"}
UNITS |= {"damping.alpha": "1/s", "damping.beta": "s"}


@dataclass(frozen=True)
class BendingBody:
    """A flexible body of a model: its link, what it is made of, and its parameters (n,) as the model has them."""

    name: str
    link: Link
    flexible: Any
    parameters: np.ndarray

    @cached_property
    def values(self) -> dict[str, float]:
        """{what may be found: its number in the description}; without E where no material says it, or stiffness is stated."""
        out = {"stiffness_factor": 1.0}
        material = self._material
        if material is not None:
            out |= {"density": float(material.density)}
            if not (self.flexible.stiffness or self.flexible.frequencies):
                out |= {"E": float(material.E)}
        damping = self.flexible.damping if isinstance(self.flexible, Flexible) else None
        if damping is not None and damping.ratio is not None:
            ratios = damping.ratio
            out |= (
                {"damping.ratio": float(ratios[0])}
                if len(ratios) == 1
                else {f"damping.ratio[{k + 1}]": float(x) for k, x in enumerate(ratios)}
            )
        elif damping is not None and damping.rayleigh is not None:
            out |= {"damping.alpha": float(damping.rayleigh.alpha), "damping.beta": float(damping.rayleigh.beta)}
        elif any(i >= 0 for i in self.elastic.D):
            out |= {"damping.factor": 1.0}
        return out

    @property
    def elastic(self):
        """Places of its constants."""
        assert self.link.elastic is not None
        return self.link.elastic

    @property
    def _material(self) -> Any:
        if not isinstance(self.flexible, Flexible) or self.flexible.modal is not None:
            return None
        return getattr(self.flexible.shape, "material", None)

    @cached_property
    def masses(self) -> np.ndarray:
        """Places of all that is proportional to the density."""
        e, own = self.elastic, self.link.ten or ()
        more = () if e.slaved is None else (*e.slaved.MSde, *e.slaved.N1, *e.slaved.products)
        return np.array([i for i in (*own, *e.MSde, *e.N1, *e.N2, *e.M, *more) if i >= 0], dtype=int)

    @cached_property
    def springs(self) -> np.ndarray:
        """Places of its stiffness."""
        return np.array([i for i in self.elastic.K if i >= 0], dtype=int)

    @cached_property
    def dampers(self) -> np.ndarray:
        """Places of its damping."""
        return np.array([i for i in self.elastic.D if i >= 0], dtype=int)

    def places_of(self, key: str) -> np.ndarray:
        """Places that follow a number."""
        if key.startswith("damping."):
            return self.dampers
        own = self.masses if key == "density" else self.springs
        return np.concatenate([own, self.dampers])

    def put(self, out: np.ndarray, given: dict[str, float]) -> None:
        """Put into parameters (n,) what follows the numbers given."""
        e, r, damping = self._state(given)
        out[self.springs] = e * self.parameters[self.springs]
        out[self.masses] = r * self.parameters[self.masses]
        out[self.dampers] = sum(self._share(key, e, r) * x * D for key, x, D in damping)

    def slope(self, key: str, given: dict[str, float]) -> np.ndarray:
        """Change (n,) of parameters per unit of a number, at the numbers given."""
        e, r, damping = self._state(given)
        out = np.zeros(len(self.parameters))
        if key.startswith("damping."):
            out[self.dampers] = next(self._share(k, e, r) * D for k, _, D in damping if k == key)
        elif key == "density":
            per = 1.0 / self.values[key]
            out[self.masses] = per * self.parameters[self.masses]
            out[self.dampers] = per * sum(self._share(k, e, r, by_mass=1) * x * D for k, x, D in damping)
        else:
            per = e / given.get(key, self.values[key])
            out[self.springs] = per * self.parameters[self.springs]
            out[self.dampers] = per * sum(self._share(k, e, r, by_stiffness=1) * x * D for k, x, D in damping)
        return out

    def scale_stiffness(self, designs: np.ndarray, factors: np.ndarray) -> None:
        """Multiply the stiffness in designs (runs, n) by factors (runs,), damping following as the description says it."""
        K = np.zeros((len(designs), len(self.elastic.K)))
        has = np.array([i >= 0 for i in self.elastic.K], dtype=bool)
        K[:, has] = designs[:, self.springs]
        if any(key.startswith("damping.ratio") for key in self.values):
            designs[:, self.dampers] *= np.sqrt(factors)[:, None]
        elif "damping.beta" in self.values:
            designs[:, self.dampers] += self.values["damping.beta"] * ((factors - 1.0)[:, None] * K)[:, self._kept]
        designs[:, self.springs] *= factors[:, None]

    def _state(self, given: dict[str, float]) -> tuple[float, float, list[tuple[str, float, np.ndarray]]]:
        """(factor of stiffness, of mass, terms of the damping: key, number, entries at its places per unit)."""
        now = self.values | given
        e = now["stiffness_factor"] * (now["E"] / self.values["E"] if "E" in now else 1.0)
        r = now["density"] / self.values["density"] if "density" in now else 1.0
        return e, r, [(key, now[key], D) for key, D in self._terms.items()]

    @staticmethod
    def _share(key: str, e: float, r: float, by_mass: int = 0, by_stiffness: int = 0) -> float:
        """How a term of the damping follows the factors e and r, or its derivative by one of them."""
        if key == "damping.alpha":
            return 0.0 if by_stiffness else 1.0 if by_mass else r
        if key == "damping.beta":
            return 0.0 if by_mass else 1.0 if by_stiffness else e
        if key == "damping.factor":
            return 0.0 if by_mass or by_stiffness else 1.0
        root = float(np.sqrt(e * r))
        return root / (2 * r) if by_mass else root / (2 * e) if by_stiffness else root

    @cached_property
    def _terms(self) -> dict[str, np.ndarray]:
        """{key of damping: its entries at the places of the damping, per unit}."""
        return {key: self._upper(D)[self._kept] for key, D in self._whole_terms.items()}

    @cached_property
    def _whole_terms(self) -> dict[str, np.ndarray]:
        """{key of damping: its matrix (m, m) per unit}."""
        M, K = self._matrix(self.elastic.M), self._matrix(self.elastic.K)
        terms: dict[str, np.ndarray] = {}
        for key in self.values:
            if key == "damping.alpha":
                terms[key] = M
            elif key == "damping.beta":
                terms[key] = K
            elif key == "damping.factor":
                terms[key] = self._matrix(self.elastic.D)
            elif key == "damping.ratio":
                terms[key] = damping_matrix(ModalRatio(1.0), M, K)
            elif key.startswith("damping.ratio["):
                terms[key] = damping_matrix(ModalRatio(np.eye(len(M))[int(key[14:-1]) - 1]), M, K)
        return terms

    @property
    def _kept(self) -> np.ndarray:
        """Which pairs k <= l have a parameter of damping."""
        return np.array([i >= 0 for i in self.elastic.D], dtype=bool)

    def _upper(self, matrix: np.ndarray) -> np.ndarray:
        return matrix[np.triu_indices(self.elastic.modes)]

    def demand_places(self, key: str) -> None:
        """UsageError where damping that is to be found has entries that are no parameters, because they are described as 0."""
        if not key.startswith("damping."):
            return
        lost = self._upper(self._whole_terms[key])[~self._kept]
        if not len(self.dampers) or np.abs(lost).max(initial=0.0) > 1e-9 * np.abs(self._whole_terms[key]).max():
            raise UsageError(
                f"{self.name}.{key}: the body is described without it, so that there is nothing to move; describe a little, for "
                "instance damping: {ratio: 0.01} or {rayleigh: {alpha: 0.1, beta: 1e-5}}"
            )

    def _matrix(self, places: tuple[int, ...]) -> np.ndarray:
        m = self.elastic.modes
        out = np.zeros((m, m))
        upper = np.array([self.parameters[i] if i >= 0 else 0.0 for i in places])
        out[np.triu_indices(m)] = upper
        return out + np.triu(out, 1).T


def bending_bodies(robot: "Robot", links: Sequence[Link], parameters: np.ndarray) -> dict[str, BendingBody]:
    """The flexible bodies of a robot by name; links and parameters (n,): of its structure."""
    described = bodies(robot)
    return {
        link.name: BendingBody(link.name, link, described[link.name].flexible, parameters)
        for link in links
        if link.elastic is not None and link.name in described
    }
