"""Flexible bodies of a model as plain data."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.robot.inertia import central

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.structure.elastic import Elastic


def flexible_data(model: "Model") -> dict[str, dict[str, Any]]:
    """By full name: coordinates, frequencies (Hz), mass (kg), mass centre (m), central inertia (kg m2), stiffening (on,
    rigid_motion, off), remarks.

    A frequency is that of a coordinate alone, √(stiffness/mass)/2π: for modes the body's own.
    """
    mechanism, numbers = model.mechanism, np.asarray(model.parameters)
    found: dict[str, dict[str, Any]] = {}
    for index in mechanism.flexible:
        link = mechanism.links[index]
        elastic = link.elastic
        assert elastic is not None
        mass, center, tensor = central(np.zeros(10) if link.ten is None else numbers[list(link.ten)])
        found[link.name] = {
            "body": link.name,
            "coordinates": list(model.layout.q_names[elastic.coordinates]),
            "frequencies_hz": _frequencies(elastic, numbers),
            "mass": mass,
            "center_of_mass": (link.to_user @ center).tolist(),
            "central_inertia": (link.to_user @ tensor @ link.to_user.T).tolist(),
            "stiffening": elastic.stiffening,
            "damped": any(i >= 0 for i in elastic.D),
            "remarks": list(elastic.remarks),
        }
    return found


def _frequencies(elastic: "Elastic", numbers: np.ndarray) -> list[float]:
    m = elastic.modes
    diagonal = [k * m - k * (k - 1) // 2 for k in range(m)]  # of pairs k <= l in order

    def entries(positions: tuple[int, ...]) -> np.ndarray:
        return np.array([numbers[positions[k]] if positions[k] >= 0 else 0.0 for k in diagonal])

    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.sqrt(entries(elastic.K) / entries(elastic.M)) / (2 * np.pi)).tolist()
