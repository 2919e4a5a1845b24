"""Broken files of other programs are refused in words: never another exception, and nothing is printed."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from gough.robot import DescriptionError
from interchange.mechanisms import floater, four_bar, spatial_loop, tree
from interchange.mutants import mutant
from interchange.sdf_writing import SdfWriting
from interchange.usd_writing import UsdWriting
from reference.peers.facts import WORLD

SHAPES = """
def Cube "cube" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
{
    float3 xformOp:scale = (0.1, 0.2, 0.3)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    float physics:density = 300
}
def Mesh "mesh" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{
    point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
}
"""


def sdf_texts() -> list[str]:
    pairs = ((four_bar, "1.9"), (spatial_loop, "1.4"), (tree, "1.12"), (floater, "1.7"))
    return [SdfWriting(facts(), version, seed=k).text() for k, (facts, version) in enumerate(pairs)]


def usd_texts() -> list[str]:
    rig = UsdWriting(15, 0.01, 0.5, "Y", 2.0)
    for name in ("crank", "coupler", "rocker"):
        rig.body(name, extra=SHAPES)
    keys = ("transX", "transY", "transZ", "rotZ")
    locked = "\n".join(f"float limit:{k}:physics:low = 1\nfloat limit:{k}:physics:high = -1" for k in keys)
    rig.joint(
        "motor",
        "Revolute",
        WORLD,
        "crank",
        "X",
        words="float physics:lowerLimit = -30",
        schemas=("PhysicsDriveAPI:angular",),
    )
    rig.joint("cross", "", "crank", "coupler", "Y", words=locked, schemas=tuple(f"PhysicsLimitAPI:{k}" for k in keys))
    rig.joint("ball", "Spherical", "coupler", "rocker", words="bool physics:excludeFromArticulation = true")
    rig.joint("hinge", "Revolute", WORLD, "rocker", "Y", words="double newton:armature = 0.1")
    text = rig.text()
    return [text, text.replace("float physics:mass", "float other:mass").replace("diagonalInertia", "other")]


def read_mutants(folder: Path, texts: list[str], suffix: str, count: int, seed: int) -> int:
    """How many of them are robots still."""
    read = 0
    for k in range(count):
        file = folder / f"robot{k % 50}{suffix}"
        broken = mutant(texts[k % len(texts)], np.random.default_rng(seed + k))
        file.write_text(broken, encoding="utf-8", errors="surrogatepass")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                gough.load(file)
                read += 1
            except (DescriptionError, UsageError):
                continue
    return read


@pytest.mark.parametrize(("texts", "suffix"), [(sdf_texts, ".sdf"), (usd_texts, ".usda")])
def test_broken_files_are_refused_in_words(tmp_path, capfd, texts, suffix):
    assert 0 < read_mutants(tmp_path, texts(), suffix, 80, 0) < 80
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize(("texts", "suffix"), [(sdf_texts, ".sdf"), (usd_texts, ".usda")])
def test_many_broken_files_are_refused_in_words(tmp_path, texts, suffix):
    assert 0 < read_mutants(tmp_path, texts(), suffix, 10_000, 1000) < 10_000
