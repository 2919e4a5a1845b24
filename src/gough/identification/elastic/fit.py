"""The result of a fit of elastic numbers."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gough.frozen import lock_arrays
from gough.identification.elastic._unknowns import ElasticUnknown
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot import Robot


@dataclass(frozen=True)
class ElasticFit:
    """Elastic numbers that were found, with what they were found from.

    values, deviations (k,): of the unknowns `names`, in `units`; described (k,): in the description; covariance (k, k), a prior
    included. model: with the parameters that were found as inputs; parameters (n,): its design with them.
    measured, fitted, sigma: of frequencies (poses, modes) in Hz, of responses (n, outputs) complex, of decays (n, channels).
    modes: which of the model's modes each frequency is, counted from 0, -1 where none was measured; of decays, the modes in the
    record. repeated: modes of equal frequency in the model that was found, by pose. undetermined: names of unknowns that the data
    leave open: their deviation from the data alone is larger than they are. at_bounds: names of those that stand on a bound,
    whose deviation means nothing. chi2: per degree of freedom, about 1 where residuals are as large as sigma says. notes: what is
    to be known besides.
    """

    model: "Model"
    parameters: np.ndarray
    unknowns: tuple[ElasticUnknown, ...]
    values: np.ndarray
    deviations: np.ndarray
    covariance: np.ndarray
    measured: np.ndarray
    fitted: np.ndarray
    sigma: np.ndarray
    modes: np.ndarray
    repeated: tuple[tuple[tuple[int, ...], ...], ...]
    undetermined: tuple[str, ...]
    at_bounds: tuple[str, ...]
    chi2: float
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        arrays = (self.parameters, self.values, self.deviations, self.covariance, self.measured, self.fitted)
        lock_arrays([*arrays, self.sigma, self.modes])

    @property
    def names(self) -> tuple[str, ...]:
        """Of the unknowns."""
        return tuple(u.name for u in self.unknowns)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the unknowns."""
        return tuple(u.unit for u in self.unknowns)

    @property
    def described(self) -> np.ndarray:
        """(k,) the numbers of the description."""
        return np.array([u.value for u in self.unknowns])

    @property
    def residuals(self) -> np.ndarray:
        """Fitted less measured, as they stand."""
        return self.fitted - self.measured

    @property
    def correlation(self) -> np.ndarray:
        """(k, k); 0 beside what is undetermined."""
        size = np.where(np.isfinite(self.deviations) & (self.deviations > 0), self.deviations, 1.0)
        out = np.where(np.isfinite(self.covariance), self.covariance, 0.0) / np.outer(size, size)
        np.fill_diagonal(out, 1.0)
        return out

    def value(self, name: str) -> float:
        """Of an unknown by name."""
        return float(self.values[self.names.index(name)])

    def deviation(self, name: str) -> float:
        """Standard deviation of an unknown by name."""
        return float(self.deviations[self.names.index(name)])

    @property
    def robot(self) -> "Robot":
        """The description with the numbers that were found; `source` of a body says so, with deviations."""
        from gough.identification.elastic._writing import write_numbers

        return write_numbers(self.model.robot, self.unknowns, self.values, self.deviations)

    def report(self) -> str:
        """Unknowns with deviations and what the description says, residuals of frequencies, notes."""
        wide = max(map(len, self.names))
        lines = [f"{self.model.robot.name}: {len(self.names)} unknowns, chi2 per degree of freedom {self.chi2:.3g}"]
        for u, x, s in zip(self.unknowns, self.values, self.deviations, strict=True):
            doubt = "  not determined by the data" * (u.name in self.undetermined)
            doubt += "  on its bound" * (u.name in self.at_bounds)
            lines.append(f"  {u.name:{wide}}  {x:.6g} ± {s:.2g} {u.unit}  (described: {u.value:.6g}){doubt}")
        if not np.iscomplexobj(self.measured) and self.modes.shape == self.measured.shape:
            for (pose, k), mode in np.ndenumerate(self.modes):
                f, y = self.fitted[pose, k], self.measured[pose, k]
                where = f"pose {pose}, " if len(self.modes) > 1 else ""
                if mode >= 0:
                    lines.append(
                        f"  {where}mode {mode + 1}: measured {y:.6g} Hz, fitted {f:.6g} Hz ({100 * (f / y - 1):+.2f} %)"
                    )
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    __repr__ = short_repr
