"""Broken files of other programs are refused in words: never another exception, and nothing is printed."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

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
def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
{
    bool physics:collisionEnabled = false
    quatf physics:principalAxes = (0.8, 0.6, 0, 0)
}
def Mesh "mesh" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{
    point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
}
"""
COMPOSED = """#usda 1.0
(
    defaultPrim = "rig"
    metersPerUnit = 0.01
)
class Xform "part" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 0.33333334
    custom double gough:physics:mass = 0.3333333333333333
    float3 physics:diagonalInertia = (200, 200, 50)
    def Mesh "skin"
    {
        color3f[] primvars:displayColor = [(0.8, 0.1, 0.2)]
        point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4)]
        int[] faceVertexCounts = [3, 4]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 2]
    }
}
def Xform "rig" (variants = { string size = "large" }
    prepend variantSets = "size")
{
    custom double gough:closure_tolerance = 1e-5
    def "one" (inherits = </part>)
    {
        double3 xformOp:translate.timeSamples = { 0: (1, 2, 3), 1: (2, 3, 4) }
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def "two" (instanceable = true
        references = </part>)
    {
        matrix4d xformOp:transform = ((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (5, 6, 7, 1))
        uniform token[] xformOpOrder = ["xformOp:transform"]
    }
    def PhysicsRevoluteJoint "lead" (prepend apiSchemas = ["MjcJointAPI"])
    {
        rel physics:body1 = </rig/one>
        point3f physics:localPos0 = (1, 2, 3)
        uniform double mjc:stiffness = 3
    }
    def PhysicsPrismaticJoint "follow" (prepend apiSchemas = ["PhysxMimicJointAPI:transX", "NewtonMimicAPI"])
    {
        rel newton:mimicJoint = </rig/lead>
        float newton:mimicCoef1 = -114.59156
        rel physics:body0 = </rig/one>
        rel physics:body1 = </rig/two>
        rel physxMimicJoint:transX:referenceJoint = </rig/lead>
        float physxMimicJoint:transX:gearing = 2
    }
    def PhysicsDistanceJoint "rod"
    {
        rel physics:body0 = </rig/two>
        float physics:minDistance = 10.48809
        float physics:maxDistance = 10.48809
    }
    variantSet "size" = {
        "large" {
            over "two"
            {
                double3 xformOp:scale = (1, 1, 1)
            }
        }
        "small" (references = @part.usda@) {
        }
    }
}
"""
NESTED = 'def Xform "a"\n{\n' * 20_000
PAIR = """def "a{}"
{{
    def "x" (references = </a{}>)
    {{
    }}
    def "y" (references = </a{}>)
    {{
    }}
}}
"""
LAUGHS = "".join(PAIR.format(k, k - 1, k - 1) for k in range(1, 40))


def sdf_texts() -> list[str]:
    pairs = ((four_bar, "1.9"), (spatial_loop, "1.4"), (tree, "1.12"), (floater, "1.7"))
    texts = [SdfWriting(facts(), version, seed=k).text() for k, (facts, version) in enumerate(pairs)]
    loose = texts[0].replace("</model>", "<gough:closure_tolerance>1e-5</gough:closure_tolerance></model>")
    return [loose, *texts[1:]]


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
    weighed = text.replace("float physics:mass", "float other:mass").replace("diagonalInertia", "other")
    return [text, weighed, COMPOSED, *written_by_us()]


@cache
def written_by_us() -> list[str]:
    """Robots of the gallery, with doubles beside the numbers in single precision."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        files = [gough.save(gough.load(name), Path(folder) / f"{name}.usda")[0] for name in ("five_bar", "three_prs")]
        return [file.read_text(encoding="utf-8") for file in files]


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


@pytest.mark.parametrize(
    ("text", "words"), [(NESTED, "nested more than 500 times"), (LAUGHS, "more than 500000 prims")]
)
def test_usd_that_would_overwhelm_its_own_library_is_refused(tmp_path, text, words):
    file = tmp_path / "robot.usda"
    file.write_text(f"#usda 1.0\n{text}")
    with pytest.raises(DescriptionError, match=words):
        gough.load(file)
