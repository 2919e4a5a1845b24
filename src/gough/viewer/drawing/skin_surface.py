"""What the makers of skins hand over: stations and the surface that hangs on them."""

from dataclasses import dataclass

import numpy as np

from gough.fem.elastic_body import ElasticBody


@dataclass(frozen=True)
class Surface:
    """See `Skin`; body axes, m."""

    rest: np.ndarray
    shapes: np.ndarray
    turnings: np.ndarray
    second: np.ndarray | None
    station: np.ndarray
    arms: np.ndarray
    faces: np.ndarray


def on_nodes(body: ElasticBody, station: np.ndarray, arms: np.ndarray, faces: np.ndarray) -> Surface:
    """A surface whose stations are the body's nodes; without rotations of nodes arms are not turned."""
    turnings = np.zeros_like(body.shapes) if body.turnings is None else body.turnings
    return Surface(body.nodes, body.shapes, turnings, body.second, station, arms, faces)
