"""A platform that bends, for Exudyn: its object for a floating frame with modes (`ObjectFFRFreducedOrder`), whose velocity and
inertia terms are Exudyn's own. It takes integrals over the body, shapes Φ_k at undeformed places x:

    mPhitTPsi            ∫ Φ_k dm          (3, m)      mXRefTildePsi       -∫ x × Φ_k dm          (3, m)
    mPhitTPsiTilde       ∫ Φ̂_k dm          (3, 3m)     mXRefTildePsiTilde  -∫ x̂ Φ̂_k dm            (3, 3m)
    mPsiTildePsi        -∫ Φ_j × Φ_k dm    (3m, m)     mPsiTildePsiTilde   -∫ Φ̂_j Φ̂_k dm          (3m, 3m)
"""

from importlib import import_module
from typing import Any

import numpy as np

from gough import Model
from gough.structure import Link
from gough_bench.tree import KNOWN, PeerJoint, Tree


def lacking_in_modes(tree: Tree) -> str:
    """What of a robot that bends is not written for Exudyn here; "" where all is, or where nothing bends."""
    model, flexible = tree.model, tree.model.mechanism.flexible
    if not flexible:
        return ""
    if flexible != (0,) or not tree.joints or tree.joints[0].kind != "free":
        return "bodies that bend are written for it where the platform is the only one"
    ends = [cut for cut in model.mechanism.cuts if cut.second in tree.tied or cut.first in tree.tied]
    if any(cut.first in tree.tied or KNOWN.get(cut.type) != "point" for cut in ends):
        return "legs on a platform that bends are written for it with balls"
    links = model.mechanism.links
    if any(np.any(tree.placement(cut.on_second)[1]) or _tie(links[cut.second]).second for cut in ends):
        return (
            "balls beside the nodes of a platform that bends, or displacements of second order, are not written for it"
        )
    return ""


def _at(model: Model, places: tuple[int, ...], *shape: int) -> np.ndarray:
    """Parameters at their places, zero where a place is -1."""
    return np.array([0.0 if k < 0 else model.parameters[k] for k in places]).reshape(shape)


def _cross_matrix(a: np.ndarray) -> np.ndarray:
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _axial(A: np.ndarray) -> np.ndarray:
    return np.array([A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]])


def add_modal_body(items: Any, mbs: Any, tree: Tree, joint: PeerJoint, node: Any) -> tuple[Any, dict[int, int]]:
    """(object number, mesh node of every tied link) of the platform, its rigid node being there already."""
    model, link = tree.model, joint.link
    of = link.elastic
    assert of is not None
    m = of.modes
    pairs = [(k, j) for k in range(m) for j in range(k, m)]
    N1, blocks = _at(model, of.N1, m, 3, 3), _at(model, of.N2, len(pairs), 3, 3)
    N2 = np.zeros((m, m, 3, 3))
    full = {name: np.zeros((m, m)) for name in "MKD"}
    for (k, j), block in zip(pairs, blocks, strict=True):
        N2[k, j], N2[j, k] = block, block.T
    for name, A in full.items():
        for (k, j), x in zip(pairs, _at(model, getattr(of, name), len(pairs)), strict=True):
            A[k, j] = A[j, k] = x
    D = _at(model, of.MSde, m, 3).T
    wide = lambda parts: np.concatenate(list(parts), axis=1)  # noqa: E731
    mesh = {link: k for k, link in enumerate(tree.tied)}
    shapes = [_at(model, _tie(model.mechanism.links[k]).translation, m, 3).T for k in mesh]
    made = items.ObjectFFRFreducedOrder(
        nodeNumbers=[node, mbs.AddNode(_amplitudes(items, m))],
        massMatrixReduced=_dense(full["M"]),
        stiffnessMatrixReduced=_dense(full["K"]),
        dampingMatrixReduced=_dense(full["D"]),
        modeBasis=np.concatenate(shapes),
        referencePositions=np.concatenate([tree.placed[k][2] for k in mesh]),
        mass=joint.mass,
        inertia=joint.about_origin,
        centerOfMass=joint.center,
        centerOfMassTilde=_cross_matrix(joint.center),
        mPhitTPsi=D,
        mPhitTPsiTilde=wide(_cross_matrix(d) for d in D.T),
        mXRefTildePsi=np.array([-_axial(A) for A in N1]).T,
        mXRefTildePsiTilde=wide(N1),
        mPsiTildePsi=np.concatenate([np.array([-_axial(N2[j, k]) for k in range(m)]).T for j in range(m)]),
        mPsiTildePsiTilde=np.concatenate([wide(N2[j]) for j in range(m)]),
        objectIsInitialized=True,
    )
    return mbs.AddObject(made), mesh


def _amplitudes(items: Any, m: int) -> Any:
    still = [0.0] * m
    return items.NodeGenericODE2(
        referenceCoordinates=still, initialCoordinates=still, initialCoordinates_t=still, numberOfODE2Coordinates=m
    )


def _tie(link: Link) -> Any:
    assert link.tie is not None
    return link.tie


def _dense(A: np.ndarray) -> Any:
    exu: Any = import_module("exudyn")
    container = exu.MatrixContainer()
    container.SetWithDenseMatrix(A, useDenseMatrix=True)
    return container
