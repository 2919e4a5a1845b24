"""What misprints and unsaid conventions of [Long 2014] cost, as far as the library's own models can show it.

Each is put into the inputs: another design, a wrench that stands for a weight counted twice, another acceleration. Rigid
platform, along `long2014_poses`; the largest error over the largest force of the same instant.
"""

from typing import TYPE_CHECKING

import numpy as np

from gough_papers.comparison import Comparison, equals
from gough_papers.states import States

if TYPE_CHECKING:
    from gough.compilation import Model

MEASURED = {
    "weight twice": 0.2899,
    "weight not turned": 0.1541,
    "centres": 0.0887,
    "rate of components": 0.0518,
    "no rotor": 0.0319,
}
"""By the transcription of the printed equations, at the same samples of the motion; to half a unit of the last digit."""
NAMED = {
    "weight twice": "(34)–(35): weight counted twice",
    "weight not turned": "(34): g not turned into Σ_p",
    "centres": "Table 3 taken at the mass centres",
    "rate of components": "(23), (34): rate of components for v̇_p",
    "no rotor": "Table 3: IA left out",
}


def costs(model: "Model", states: States) -> dict[str, float]:
    """{name: relative error}, of the rigid robot along the motion."""
    from gough.spatial.poses import rotation_of_quaternion

    weight = model.parameters[model.parameter_names.index("platform.M")] * np.array(model.robot.gravity)
    q = model.configuration(pose=states.pose)
    given = (states.v, states.acceleration)
    right = model.inverse_dynamics(q, *given).tau
    turned = rotation_of_quaternion(states.pose[:, 3:])
    v, w = states.v[:, :3], states.v[:, 3:]
    naive = states.acceleration - np.concatenate([np.cross(w, v), 0 * w], axis=1)
    wrong = {
        "weight twice": model.inverse_dynamics(q, *given, _force(np.broadcast_to(weight, (len(states), 3)))).tau,
        "weight not turned": model.inverse_dynamics(q, *given, _force(turned @ weight - weight)).tau,
        "centres": model.inverse_dynamics(q, *given, parameters=_at_centres(model)).tau,
        "rate of components": model.inverse_dynamics(q, states.v, naive).tau,
        "no rotor": model.inverse_dynamics(q, *given, parameters=_without_rotors(model)).tau,
    }
    return {name: relative(tau, right) for name, tau in wrong.items()}


def comparisons(found: dict[str, float]) -> list[Comparison]:
    """With the transcription's figures, in per cent."""
    return [
        equals(
            f"cost of {NAMED[name]}",
            100 * value,
            100 * MEASURED[name],
            "%",
            0.005,
            "transcription of the printed equations",
            form=".2f",
        )
        for name, value in found.items()
    ]


def relative(found: np.ndarray, right: np.ndarray) -> float:
    """max|difference| over max|force| of the same instant, the largest of all instants."""
    return float((np.abs(found - right).max(axis=1) / np.abs(right).max(axis=1)).max())


def _force(f: np.ndarray) -> np.ndarray:
    """A wrench (n, 6) of a force (n, 3) at the platform's origin, which is its mass centre."""
    return np.concatenate([f, np.zeros_like(f)], axis=1)


def _without_rotors(model: "Model") -> np.ndarray:
    return model.parameters_with({n: 0.0 for n in model.parameter_names if n.endswith(".slide.rotor_inertia")})


def _at_centres(model: "Model") -> np.ndarray:
    """Table 3's tensors taken as central: those about the frames' origins are larger by m (s·s 1 - s sᵀ), s = MS/M."""
    names = list(model.parameter_names)
    of = {n: float(model.parameters[i]) for i, n in enumerate(names)}
    changes = {}
    for body in [n.removesuffix(".M") for n in names if ".link" in n and n.endswith(".M")]:
        x, y, z = (of[f"{body}.M{a}"] / of[f"{body}.M"] for a in "XYZ")
        more = {
            "XX": y * y + z * z, "YY": x * x + z * z, "ZZ": x * x + y * y, "XY": -x * y, "XZ": -x * z, "YZ": -y * z,
        }  # fmt: skip
        changes |= {f"{body}.{k}": of[f"{body}.{k}"] + of[f"{body}.M"] * value for k, value in more.items() if value}
    return model.parameters_with(changes)
