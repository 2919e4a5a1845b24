"""Numbers of the gallery: `python tests/golden/gallery_numbers.py [ROBOT …]` writes them, or those named, anew into numbers.json.

Do that only where a change of numbers is meant, and say which and why in `CHANGELOG.md`.
"""

from __future__ import annotations

import json
import sys
import warnings
import zlib
from functools import cache
from pathlib import Path

import numpy as np

import gough
from gough.robot import gallery

FILE = Path(__file__).with_name("numbers.json")
AWAY = (0.05, 0.02, 0.005, 0.001)
"""How far the state is from home, in units of v (m, rad): the first that the robot reaches."""


def robots() -> list[str]:
    """All of the gallery."""
    return sorted(gallery())


@cache
def model(robot: str) -> gough.Model:
    """Model of a gallery robot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(robot)


def given(robot: str) -> dict[str, np.ndarray]:
    """{name: numbers} of a state beside home, and what is asked of it, from a seed that is the robot's name.

    Bodies that bend are straight and at rest: their axes and signs are the eigenvalue solver's.
    """
    of, random = model(robot), np.random.default_rng(zlib.crc32(robot.encode()))
    stiff = np.ones(of.layout.nv)
    stiff[of.layout.rigid :] = 0.0
    away, v = random.uniform(-1, 1, (2, of.layout.nv)) * stiff
    tried = (of.integrate(of.home, away, step, on_bad_state="mark") for step in AWAY)
    return {
        "q": next(np.array(q) for q in tried if np.isfinite(q).all()),
        "v": v,
        "acceleration": random.uniform(-1, 1, of.mobility),
        "given_tau": random.uniform(-1, 1, len(of.layout.drive_names)),
    }


def numbers(robot: str, state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """{quantity: numbers} at a state: drive forces of a motion, accelerations of given forces, momenta, bias forces."""
    of = model(robot)
    q, v, rigid = state["q"], state["v"], slice(of.layout.rigid)
    found = {} if not of.driven else {"tau": of.inverse_dynamics(q, v, state["acceleration"]).tau}
    return {
        **found,
        "vdot": of.forward_dynamics(q, v, state["given_tau"]).vdot[rigid],
        "momentum": (of.mass_matrix(q) @ v)[rigid],
        "bias": of.bias_force(q, v)[rigid],
    }


def main(chosen: list[str]) -> None:
    """Write them."""
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for robot in chosen or robots():
        state = given(robot)
        kept[robot] = {"given": state, "found": numbers(robot, state)}
    lines = [
        f" {json.dumps(robot)}: "
        + json.dumps({part: {k: np.asarray(x).tolist() for k, x in kept[robot][part].items()} for part in kept[robot]})
        for robot in robots()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
