"""The longest stable step of methods with equal explicit steps, for a robot at rest."""

from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.simulation.control.joint import JointPD
from gough.simulation.integration.methods import METHODS
from gough.simulation.integration.plant import Plant

Array = np.ndarray
GROWS = 1e-6
"""Growth of an amplitude in one step that counts."""


def poles(plant: Plant, q: Array, method: str, numbers: Array) -> Array:
    """Eigenvalues (1/s) of small motions about q (nq,) of a design (n,), drives as the law has them; none where nothing of the
    robot is stiff or the method is stable in any case."""
    model = plant.model
    known = METHODS[method]
    none = np.zeros(0, dtype=complex)
    if known.adaptive or known.limit == np.inf or not (model.layout.v_elastic or _smoothed(plant, numbers)):
        return none
    from gough.analysis.modes import natural_frequencies

    drives: Any = "locked" if plant.law.prescribed else "free"
    if isinstance(plant.law, JointPD):
        drives = {"stiffness": plant.law.stiffness, "damping": plant.law.damping}
    try:
        found = natural_frequencies(model, q, drives, about="undeformed", parameters=numbers, friction="smoothed")
        return np.asarray(found.eigenvalues, dtype=complex)
    except (GoughError, ValueError, np.linalg.LinAlgError):  # nothing that could be linearised: no verdict
        return none


def longest_step(method: str, eigenvalues: Array) -> float:
    """Longest step (s) with which no motion of these eigenvalues (1/s) grows; inf where any is."""
    known = METHODS[method]
    stiff = eigenvalues[np.abs(eigenvalues) > 0]
    if known.adaptive or known.limit == np.inf or not len(stiff):
        return np.inf
    longest = np.inf
    for pole in stiff:
        pole = min(pole.real, 0.0) + 1j * pole.imag
        if pole == 0:
            continue
        reach = np.linspace(0.0, 4.0, 2001)[1:] / abs(pole)
        bad = np.flatnonzero(_growth(method, reach * pole) > 1.0 + GROWS)
        longest = min(longest, float(reach[bad[0]]) if len(bad) else np.inf)
    return longest


def _growth(method: str, z: Array) -> Array:
    """|R(z)| of a step of the test equation x' = λx with z = hλ."""
    if method == "leapfrog":  # explicit in velocities: vibrations up to its limit, damping up to about 1/h
        return np.where((np.abs(np.imag(z)) <= METHODS[method].limit) & (np.abs(np.real(z)) <= 1.0), 1.0, 2.0)
    return np.abs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))))


def _smoothed(plant: Plant, values: Array) -> bool:
    mechanism = plant.model.mechanism
    places = [x.friction for x in (*mechanism.links, *mechanism.cuts)]
    return any(values[p[i + 1]] != 0 and values[p[i + 2]] != 0 for p in places for i in range(0, len(p), 3))
