"""A motor that drives a joint through a gear that gives way.

Rotor θ, ω in the drive's coordinates (turns of the motor over the gear's ratio):
    inertia ω̇ = command - f,   f = stiffness (θ - q) + damping (ω - q̇)   drives the joint
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.simulation.actuators.actuator import Actuator, Flow, Memory

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray


@dataclass(frozen=True, kw_only=True)
class ElasticGear(Actuator):
    """inertia: of the rotor as the drive feels it, its own times the ratio squared (kg, kg·m²); it is not a part of the robot.
    stiffness (N/m, N·m/rad) and damping (N·s/m, N·m·s/rad) between rotor and drive. No other actuator stands behind it."""

    inertia: float | Sequence[float]
    stiffness: float | Sequence[float]
    damping: float | Sequence[float]
    plain = True
    drives_joint = True
    name = "elastic gear"
    may_vanish = ("damping",)
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "inertia": ("mass", "inertia"),
        "stiffness": ("stiffness", "angular stiffness"),
        "damping": ("damping", "angular damping"),
    }

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Actuator`."""
        turns = [unit == "N m" for unit in model.layout.drive_units]
        pairs = {
            "inertia": ("kg m2", "kg"),
            "stiffness": ("N m/rad", "N/m"),
            "damping": ("N m s/rad", "N s/m"),
        }
        return {key: tuple(a if turn else b for turn in turns) for key, (a, b) in pairs.items()}

    def flow(self, model: "Model", drives: Vector, rates: Vector) -> Flow:
        """See `Actuator`: places and rates of the rotors."""
        names = model.layout.drive_names
        units = tuple(model.layout.q_units[k] for k in model.drive_index)
        sizes = np.array([model.size if unit == "m" else 1.0 for unit in units])
        return Flow(
            (*(f"rotor.{name}" for name in names), *(f"v.rotor.{name}" for name in names)),
            (*units, *(f"{unit}/s" for unit in units)),
            np.concatenate([drives, rates]),
            np.concatenate([sizes, 100.0 * sizes]),
        )

    def own_poles(self, model: "Model") -> Vector:
        """See `Actuator`: s² + (damping s + stiffness)(1/inertia + λ) = 0, λ the drive's acceleration by a unit force at home."""
        M, S = model.mass_matrix(model.home), model.drive_map(model.home)
        own = self.numbers(model)
        light = 1.0 / own["inertia"] + np.einsum("ij,ij->j", S, np.linalg.lstsq(M, S, rcond=None)[0])
        half, square = 0.5 * own["damping"] * light, own["stiffness"] * light
        root = np.sqrt((half**2 - square).astype(complex))
        return np.concatenate([-half + root, -half - root])

    def rest(self, command: Vector, measured: Any, numbers: Memory) -> Vector:
        """See `Actuator`."""
        return np.concatenate([measured.drives + command / numbers["stiffness"], measured.drive_rates])

    def act(self, command: Vector, states: Vector, measured: Any, numbers: Memory) -> tuple[Vector, Vector]:
        """See `Actuator`."""
        n = len(command)
        turn, rate = states[:n], states[n:]
        force = numbers["stiffness"] * (turn - measured.drives) + numbers["damping"] * (rate - measured.drive_rates)
        return force, np.concatenate([rate, (command - force) / numbers["inertia"]])
