"""Measures how well the library agrees with references, peer engines and papers; docs/verification.md has the figures.

Run as `python tests/docs/agreement.py` it prints the table. An error is max|difference| / max|reference| of one state;
the figure is the largest over all states.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

SEEDS = range(5)
STATES = 5
GENERATED = ("ups", "pus", "generic", "sliding_cuts")
COMPILED = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_force", "drive_map", "joint_reactions")
PAPERS = ("pedrammehr2012", "long2014_rigid", "lopes", "lopes_simplified", "fried")


def error(found: np.ndarray, truth: np.ndarray) -> float:
    """max|difference| / max|reference|."""
    return float(np.max(np.abs(found - truth)) / np.max(np.abs(truth)))


def peers(reference: Any) -> dict[str, Any]:
    """MuJoCo and Pinocchio on a reference's robot, where they can describe it."""
    from reference.peers.closed_tree import Unsupported
    from reference.peers.mujoco import MujocoPeer
    from reference.peers.pinocchio import PinocchioPeer

    out = {}
    for name, kind in (("MuJoCo", MujocoPeer), ("Pinocchio", PinocchioPeer)):
        try:
            out[name] = kind(reference.robot, reference.velocities)
        except Unsupported:
            continue
    return out


def measure(robot: Any, states: int, seed: int) -> dict[str, float]:
    """Largest error of each quantity over random states of one robot."""
    import gough
    from reference.energies.lagrange import Reference
    from reference.energies.states import random_states

    model, reference = gough.build(robot), Reference(robot)
    others = peers(reference)
    for name in COMPILED:  # otherwise the first states run in the interpreter
        model.function(name).compile()
    worst: dict[str, float] = {}

    def note(name: str, value: float) -> None:
        worst[name] = max(worst.get(name, 0.0), value)

    for q, v, acceleration, wrench, tau in random_states(reference, states, seed):
        forces = model.inverse_dynamics(q, v, acceleration, wrench).tau
        vdot = model.forward_dynamics(q, v, tau, wrench).vdot
        note("inverse dynamics", error(forces, reference.inverse(q, v, acceleration, wrench)))
        note("forward dynamics", error(vdot, reference.forward(q, v, tau, wrench)))
        note("mass matrix", error(model.mass_matrix(q), reference.mass_matrix(q)))
        note("bias force", error(model.bias_force(q, v), reference.bias(q, v)))
        note("drive map", error(model.drive_map(q), reference.drive_map(q)))
        cuts = model.joint_reactions(q, v, acceleration, wrench).cuts
        note("reactions on the platform", error(cuts, reference.reactions(q, v, acceleration, forces, wrench)))
        for name, peer in others.items():
            note(f"inverse dynamics, {name}", error(forces, peer.inverse(q, v, acceleration, wrench)))
            note(f"forward dynamics, {name}", error(vdot, peer.forward(q, v, tau, wrench)))
    return worst


def gathered(parts: list[dict[str, float]]) -> dict[str, float]:
    """The largest of each quantity."""
    return {name: max(p.get(name, 0.0) for p in parts) for name in {k: None for p in parts for k in p}}


def generated(family: str, seeds: Any = SEEDS, states: int = STATES) -> dict[str, float]:
    """Over random designs of a family."""
    from reference.designs import design

    return gathered([measure(design(family, seed), states, seed) for seed in seeds])


def gallery(states: int = STATES) -> dict[str, float]:
    """Over the robots of the papers."""
    from gough.robot import UnphysicalInertiaWarning, load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return gathered([measure(load(name), states, 0) for name in PAPERS])


if __name__ == "__main__":
    tables = {family: generated(family) for family in GENERATED} | {"gallery": gallery()}
    for name in gathered(list(tables.values())):
        print(f"{name:32}", *(f"{family} {table.get(name, np.nan):.1e}" for family, table in tables.items()))
