"""Bodies that bring their looks with them: meshes from files."""

from pathlib import Path

import numpy as np

from gough.errors import UsageError
from gough.robot import Robot
from gough.robot.body import BodyMesh
from gough.robot.files import resolve_path
from gough.robot.tree import bodies
from gough.viewer.drawing.creases import creased
from gough.viewer.drawing.mesh import Mesh

MOST_CREASED = 60_000
"""Triangles up to which sharp edges are looked for; larger meshes are shaded smoothly."""
REMEDY = "drawing meshes of bodies needs trimesh, which comes with the viewer: pip install 'gough[view]'"


def body_meshes(robot: Robot) -> dict[str, tuple[Mesh, tuple[int, int, int] | None]]:
    """(mesh in the body's axes (m), colour) of every body with one, by its full name."""
    return {
        name: (_placed(body.mesh, robot.origin), body.mesh.color) for name, body in bodies(robot).items() if body.mesh
    }


def _placed(described: BodyMesh, file: str | None) -> Mesh:
    mesh = read_mesh(resolve_path(described.file, file))
    pose = described.placement
    return mesh.scaled(described.scale).moved(np.array(pose.position), pose.rotation())


def read_mesh(path: Path) -> Mesh:
    """The surface in a file, with sharp edges; UsageError where it is missing or cannot be read."""
    try:
        import trimesh
    except ImportError as error:
        raise UsageError(REMEDY) from error
    try:
        found = trimesh.load_mesh(path)
        vertices, faces = np.asarray(found.vertices, dtype=float), np.asarray(found.faces, dtype=np.int64)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except Exception as error:  # trimesh raises whatever its readers stumble over
        raise UsageError(f"{path}: cannot be read as a mesh ({type(error).__name__}: {error})") from error
    if not len(faces) or not np.isfinite(vertices).all():
        raise UsageError(f"{path}: no triangles with finite corners in it; export a surface")
    if len(faces) > MOST_CREASED:
        return Mesh(vertices, faces)
    station, sharp = creased(vertices, faces)
    return Mesh(vertices[station], sharp)
