"""Displacements of second order Ψ of a basis, seen from the axes the body's coordinates are in.

What the elements give is from the start of a beam; rigid displacements of second order belong to the body's axes, so they
are taken out: Ψ is zero at a held frame, or has no mean (translation and turning) about mean axes.
"""

from dataclasses import dataclass

import numpy as np

from gough.fem.basis_choices import MEAN, Basis
from gough.fem.cross import hat
from gough.fem.ties import FrameTie, TiedElements


@dataclass(frozen=True)
class SecondOrderField:
    """Ψ at mass points (g, 3, m, m) and at nodes (n, 3, m, m); node positions (n, 3)."""

    points: np.ndarray
    nodes: np.ndarray
    places: np.ndarray


def second_order_field(tied: TiedElements, basis: Basis) -> SecondOrderField:
    """Ψ of a basis on elements that have a `shortening`."""
    body = tied.elements
    assert body.shortening is not None  # asked for only then
    points, nodes = body.shortening(basis.shapes)
    if basis.held is None:
        return SecondOrderField(points, nodes, body.nodes)
    if basis.held != MEAN:
        frame = tied.frame(basis.held)
        shift = frame_second(frame, np.zeros((3, basis.shapes.shape[1])), SecondOrderField(points, nodes, body.nodes))
        return SecondOrderField(points - shift, nodes - shift, body.nodes)
    at_points, at_nodes = _rigid(body.position), _rigid(body.nodes)
    weight = np.repeat(body.mass, 3)
    normal = at_points.T @ (weight[:, None] * at_points)
    c = np.linalg.lstsq(normal, at_points.T @ (weight[:, None] * points.reshape(len(weight), -1)), rcond=1e-12)[0]
    return SecondOrderField(
        points - (at_points @ c).reshape(points.shape), nodes - (at_nodes @ c).reshape(nodes.shape), body.nodes
    )


def frame_second(frame: FrameTie, turning: np.ndarray, field: SecondOrderField) -> np.ndarray:
    """Ψ (3, m, m) at a frame's origin: that of its nodes, and ½ θ × (θ × a) of the arm a from each node to the origin."""
    arm = (frame.position - field.places[frame.nodes]).mean(axis=0)
    twice = np.einsum("kab,bl->akl", hat(turning.T), np.cross(turning.T, arm).T)
    return field.nodes[frame.nodes].mean(axis=0) + 0.5 * (twice + twice.transpose(0, 2, 1))


def _rigid(places: np.ndarray) -> np.ndarray:
    """Rigid displacements (3 p, 6) at places (p, 3): three translations, three turns about the origin."""
    out = np.zeros((len(places), 3, 6))
    out[:, :, :3] = np.eye(3)
    out[:, :, 3:] = -hat(places)
    return out.reshape(-1, 6)
