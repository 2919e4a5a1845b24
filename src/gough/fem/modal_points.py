"""Nodes with mass and inertia as mass points: inertia becomes pairs of points beside the node that turn with it."""

import numpy as np

from gough.fem.modal_data import ModalData


def inertia_points(masses: np.ndarray, inertias: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(mass (g,), node of each (g,), arm from that node (g, 3)) of nodes with masses (n,) and inertias (n, 3, 3).

    A tensor I is that of pairs at ±d on its principal axes with masses E_j/(2 d²) each, E = ½ tr(I) 1 - I the second
    moments, taken from the node's own mass: exact for every product of two linear fields, also where a mass is negative.
    """
    nodes = np.arange(len(masses))
    at = np.flatnonzero(np.abs(inertias).max(axis=(1, 2))) if inertias is not None else np.zeros(0, dtype=int)
    if inertias is None or not len(at):
        return masses, nodes, np.zeros((len(masses), 3))
    I = inertias[at]
    moments, axes = np.linalg.eigh(0.5 * np.trace(I, axis1=1, axis2=2)[:, None, None] * np.eye(3) - I)
    weight = np.where(masses[at] > 0.0, masses[at], max(float(masses.mean()), 1e-30))
    d = np.sqrt(np.abs(moments).max(axis=1) / weight)
    pair = moments / (2.0 * d[:, None] ** 2)
    arms = np.concatenate([axes, -axes], axis=2).transpose(0, 2, 1) * d[:, None, None]  # (nodes with inertia, 6, 3)
    own = masses.astype(float).copy()
    own[at] -= 2.0 * pair.sum(axis=1)
    return (
        np.concatenate([own, np.concatenate([pair, pair], axis=1).ravel()]),
        np.concatenate([nodes, np.repeat(at, 6)]),
        np.concatenate([np.zeros((len(masses), 3)), arms.reshape(-1, 3)]),
    )


def mass_points(data: ModalData) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(masses (g,), positions (g, 3), shapes (g, 3, m)) whose integrals are those of the nodes with their inertias."""
    mass, node, arm = inertia_points(data.masses, data.inertias)
    shapes = data.shapes[node, :3]
    if data.shapes.shape[1] == 6 and np.any(arm):
        turning = data.shapes[node, 3:].transpose(0, 2, 1)
        shapes = shapes + np.cross(turning, arm[:, None, :]).transpose(0, 2, 1)
    return mass, data.nodes[node] + arm, shapes
