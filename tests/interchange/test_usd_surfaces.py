"""Meshes of a stage are drawn where USD itself has them, whatever the units and scales above them."""

import numpy as np
import pytest
from pxr import Usd, UsdGeom

import gough
from gough.errors import UsageError
from inner.viewer import Figure, read_mesh

POINTS = "[(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4), (2, 3, 0)]"
SKIN = f"""def Mesh "NAME"
        {{
            double3 xformOp:translate = (1, 2, 3)
            float3 xformOp:rotateXYZ = (20, 30, 40)
            float3 xformOp:scale = SCALE
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"]
            point3f[] points = {POINTS}
            int[] faceVertexCounts = [4, 3, 3, 3, 3]
            int[] faceVertexIndices = [0, 2, 4, 1, 0, 1, 3, 1, 4, 3, 4, 2, 3, 2, 0, 3]
            MORE
        }}
"""


def skin(name: str, scale: str = "(1, 1, 1)", more: str = "") -> str:
    return SKIN.replace("NAME", name).replace("SCALE", scale).replace("MORE", more)


SHOWN = {
    "plain": skin("plain", more="color3f[] primvars:displayColor = [(1, 0.2, 0)]"),
    "stretched": skin("stretched", "(0.5, 2, 1)", "color3f[] primvars:displayColor = [(0, 0.2, 0)]"),
    "mirrored": skin("mirrored", "(1, -1, 1)", "rel material:binding = </rig/paint>"),
}
HIDDEN = skin("off", more='token visibility = "invisible"') + skin("guide", more='uniform token purpose = "guide"')
TEXT = f"""#usda 1.0
(
    defaultPrim = "rig"
    metersPerUnit = 0.01
    upAxis = "Y"
)
def Xform "rig"
{{
    def Material "paint"
    {{
        def Shader "shader"
        {{
            color3f inputs:diffuseColor = (0.4, 0.4, 1)
        }}
    }}
    def Xform "bar" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float3 xformOp:scale = (2, 2, 2)
        double3 xformOp:translate = (30, 10, 5)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        float physics:mass = 1
        float3 physics:diagonalInertia = (100, 100, 100)
        {"".join(SHOWN.values())}{HIDDEN}
    }}
    def PhysicsRevoluteJoint "pivot" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {{
        rel physics:body1 = </rig/bar>
        point3f physics:localPos0 = (30, 10, 5)
    }}
}}
"""
COLOURS = {"plain": (255, 51, 0), "stretched": (0, 51, 0), "mirrored": (102, 102, 255)}


def test_meshes_are_drawn_where_usd_has_them(tmp_path):
    file = tmp_path / "bar.usda"
    file.write_text(TEXT)
    robot = gough.load(file)
    assert [m.prim for m in robot.bodies[0].mesh] == [f"/rig/bar/{name}" for name in SHOWN]
    (tmp_path / "deep").mkdir()
    described = gough.save(robot, tmp_path / "deep" / "bar.yaml")[0]
    model = gough.build(gough.load(described))
    figure = Figure(model)
    position, rotation = model.frame_pose(model.home, "bar")
    stage = Usd.Stage.Open(str(file))
    for name in SHOWN:
        mesh = next(piece.mesh for piece in figure.pieces if piece.colour == COLOURS[name])
        prim = stage.GetPrimAtPath(f"/rig/bar/{name}")
        place = UsdGeom.Imageable(prim).ComputeLocalToWorldTransform(0)
        theirs = np.array([0.01 * np.array(place.Transform(p)) for p in UsdGeom.Mesh(prim).GetPointsAttr().Get()])
        ours = mesh.vertices @ rotation.T + position
        apart = np.linalg.norm(ours[:, None] - theirs, axis=2)
        assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 1e-6
        assert mesh.volume() == pytest.approx(8e-6 * 2 * 3 * 4 / 3, rel=1e-5)  # outward normals, mirrored or not


def test_a_prim_that_is_no_mesh_is_told(tmp_path):
    (tmp_path / "bar.usda").write_text(TEXT)
    for prim in ("/rig/bar", "/rig/none", "bar", ""):
        with pytest.raises(UsageError, match="is no mesh with faces"):
            read_mesh(tmp_path / "bar.usda", prim)
