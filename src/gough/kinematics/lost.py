"""What is lost at a singular state: the motion that the drives do not hold, or that v does not determine."""

import numpy as np

from gough.compilation.status import TURNED_REMEDY
from gough.errors import Failure, Site, Status
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.mobility import scaled_closures
from gough.kinematics.openings import openings
from gough.kinematics.singularity import singularity

OTHER_DESIGN = "with the parameters of this call; give them to what makes q too: model.project(q, parameters=…)"
SHARE = 0.1
"""Parts of a motion smaller than this (relative to its largest) are not named."""


def lost_direction(linkage: LedLinkage, q: np.ndarray, failure: Failure, parameters: np.ndarray | None = None) -> str:
    """A sentence about one bad state q (nq,) ; "" where there is nothing to say. parameters (n,): of the call; default the
    design's."""
    status, numbers = failure.status, linkage.parameters if parameters is None else parameters
    if failure.site in (Site.NO_INERTIA, Site.CONTRADICTION):
        return ""  # all is said
    if status == Status.OPEN_LOOP and np.isfinite(q).all():
        worst = next((o for o in openings(linkage, q, numbers) if o.text), None)
        if worst is None:
            return ""
        remedy = f"; {TURNED_REMEDY}" if worst.turned else "" if parameters is None else f" {OTHER_DESIGN}"
        return f"{worst.cut.name} is {worst.text}{remedy}"
    if failure.site == Site.SPRING:
        return (
            f"its two points coincide, where its force has no direction: move the robot, or a point of {failure.place}"
        )
    if failure.site == Site.MASS_MATRIX:
        M = linkage.function("mass_matrix").values(q=q, parameters=numbers)["M"]
        if np.isfinite(M).all():
            return f"nothing has inertia in this motion: {_shares(linkage.layout.v_names, np.linalg.eigh(M)[1][:, 0])}"
    if status == Status.SINGULAR and failure.site == Site.DRIVES:
        lost = singularity(linkage, q, numbers, None).lost
        if np.isfinite(lost).all():
            return f"the drives do not hold this motion: {_shares(linkage.layout.v_names, lost)}"
    if status in (Status.FOLDED, Status.SINGULAR) and np.isfinite(q).all():
        G = scaled_closures(linkage, q[None], numbers)[0]
        held = np.eye(G.shape[1])[list(linkage.mechanism.selection.independent)]
        _, _, vt = np.linalg.svd(np.concatenate([G, held]), full_matrices=True)
        return f"this can move while v stands still: {_shares(linkage.layout.u_names, vt[-1])}"
    return ""


def _shares(names: tuple[str, ...], motion: np.ndarray) -> str:
    motion = motion / motion[np.argmax(np.abs(motion))]
    order = np.argsort(-np.abs(motion), kind="stable")
    parts = [f"{motion[k]:+.2g} {names[k]}" for k in order if abs(motion[k]) > SHARE]
    return ", ".join(parts[:6]) + (" …" if len(parts) > 6 else "")
