"""MuJoCo's own model of an MJCF file, its tree projected on its equalities (`interchange.mujoco_truth`)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from interchange.mujoco_truth import Truth, compile_quietly
from reference.foreign.comparing import Reduced

SAME = 1e-6
"""Rows of equalities that differ by less are one. MuJoCo's equalities give way, so their numbers fit as well as the writer
rounded them; exactly taken, a four-bar whose axes are off by 1e-8 could not move."""


class MjcfReading:
    """The equations of an MJCF file by MuJoCo, in the velocities of a model."""

    def __init__(self, file: Path, model: Any) -> None:
        try:
            read = compile_quietly(file)
        except ValueError:
            read = mujoco.MjModel.from_xml_string(_bare(file))
        self.truth = Truth(read, model)

    def reduced(self, q: np.ndarray, v: np.ndarray) -> Reduced:
        """M, h, S by projecting MuJoCo's tree on the motions that the equalities leave."""
        found = self.truth.equations(q, v, SAME)
        return Reduced(found.M, found.h, found.S, found.freedoms, max(found.gap, found.rows, found.selection))


def _bare(file: Path) -> str:
    """The text without surfaces and what plugins make of them, where no mass follows from these."""
    root = ET.parse(file).getroot()
    if root.find(".//include") is not None or any(c.get("inertiafromgeom") == "true" for c in root.iter("compiler")):
        raise ValueError("surfaces are missing that its masses may need")
    for body in root.iter("body"):
        for geom in body.findall("geom"):
            if geom.get("mesh") is not None:
                if body.find("inertial") is None:
                    raise ValueError(f"body {body.get('name')!r}: its mass follows from a surface that is missing")
                body.remove(geom)
    for place in [root, *root.iter("asset"), *root.iter("worldbody")]:
        for child in list(place):
            if child.tag in ("extension", "mesh") or child.get("mesh") is not None:
                place.remove(child)
    return ET.tostring(root, encoding="unicode")
