"""How far a run is from the motion it was to follow."""

import numpy as np

from gough.compilation.rotations import rotation_of_quaternion
from gough.simulation.motion.motion import Motion
from gough.simulation.results.run import Run


def tracking_errors(run: Run, motion: Motion) -> dict[str, float]:
    """Largest errors over the stored times, by unit: "m", "rad". Of a pose: distance of the origins and angle of R_ref Rᵀ; of a
    point: the distance; of drives and joints: the largest of all. Empty for a motion of forces."""
    at = motion.at(np.clip(run.time, 0.0, motion.duration)).position
    if motion.kind in ("pose", "point"):
        found = run[f"{motion.frame}.pose"] if motion.frame else run["pose"]
        out = {"m": float(np.linalg.norm(found[:, :3] - at[:, :3], axis=1).max())}
        if motion.kind == "pose":
            turned = rotation_of_quaternion(at[:, 3:]) @ np.swapaxes(rotation_of_quaternion(found[:, 3:]), -1, -2)
            # 2 sin(angle/2) = |R_ref - R| / √2, which keeps its digits at small angles
            half = np.linalg.norm(turned - np.eye(3), axis=(1, 2)) / np.sqrt(8.0)
            out["rad"] = float(2 * np.arcsin(np.minimum(half, 1.0)).max())
        return out
    if motion.kind not in ("drives", "joints"):
        return {}
    errors: dict[str, float] = {}
    for k, name in enumerate(motion.names):
        unit = run.unit(name)
        errors[unit] = max(errors.get(unit, 0.0), float(np.abs(run[name] - at[:, k]).max()))
    return errors
