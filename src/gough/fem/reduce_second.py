"""Displacements of second order of a basis, seen from the axes the body's coordinates are in.

What the elements give is from the start of a beam; rigid displacements of second order belong to the body's axes, so they
are taken out: every field is zero at a held frame, or has no mean (translation and turning) about mean axes.
"""

from dataclasses import replace

import numpy as np

from gough.fem.basis_choices import MEAN, Basis
from gough.fem.cross import hat
from gough.fem.second import SecondOrder
from gough.fem.ties import FrameTie, TiedElements


def second_order_field(tied: TiedElements, basis: Basis) -> SecondOrder:
    """That of a basis on elements that have a `shortening`."""
    body = tied.elements
    assert body.shortening is not None  # asked for only then
    second = body.shortening(basis.shapes)
    if basis.held is None:
        return second
    if basis.held != MEAN:
        shift = second.nodes[tied.frame(basis.held).nodes].mean(axis=0)
        return replace(second, points=second.points - shift, nodes=second.nodes - shift)
    mass, position = (body.mass, body.position) if second.sampled is None else second.sampled[:2]
    at_points, at_nodes = _rigid(position), _rigid(body.nodes)
    weight = np.repeat(mass, 3)
    normal = at_points.T @ (weight[:, None] * at_points)
    flat = second.points.reshape(len(weight), -1)
    c = np.linalg.lstsq(normal, at_points.T @ (weight[:, None] * flat), rcond=1e-12)[0]
    return replace(
        second,
        points=second.points - (at_points @ c).reshape(second.points.shape),
        nodes=second.nodes - (at_nodes @ c).reshape(second.nodes.shape),
    )


def frame_second(frame: FrameTie, turning: np.ndarray, second: SecondOrder, places: np.ndarray) -> np.ndarray:
    """Ψ (3, m, m) at a frame's origin: that of its nodes, and ½ θ × (θ × a) of the arm a from each node to the origin.

    turning (3, m): of the frame; places (n, 3): of the nodes.
    """
    arm = (frame.position - places[frame.nodes]).mean(axis=0)
    nodes = np.einsum("aj,jkl->akl", second.nodes[frame.nodes].mean(axis=0), second.forms)
    return nodes + turned_arm(turning, arm)


def turned_arm(turning: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Ψ (3, m, m) at the end of an arm (3,) that turns by turning (3, m) at its start: ½ θ × (θ × a)."""
    twice = np.einsum("kab,bl->akl", hat(turning.T), np.cross(turning.T, arm).T)
    return 0.5 * (twice + twice.transpose(0, 2, 1))


def _rigid(places: np.ndarray) -> np.ndarray:
    """Rigid displacements (3 p, 6) at places (p, 3): three translations, three turns about the origin."""
    out = np.zeros((len(places), 3, 6))
    out[:, :, :3] = np.eye(3)
    out[:, :, 3:] = -hat(places)
    return out.reshape(-1, 6)
