"""What is strange about loops: chains that hang open, more drives than freedoms, an axis unlike all others of its loop."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import StructureWarning, warn
from gough.kinematics.tilted_axes import ring_of, say_odd_axes

if TYPE_CHECKING:
    from gough.model.model import Model

LOCKED = 1e-9
"""Rate (scaled, per unit free motion) below which a joint is locked."""
MOST = 6


def open_chain_words(model: "Model") -> str:
    """Idle freedoms of joints that no loop contains, and the bodies at the end of their chains: a loop may be missing there."""
    mechanism = model.mechanism
    inside = {i for cut in mechanism.cuts for end in (cut.first, cut.second) for i in mechanism.path_to_root(end)}
    idle = set(model.layout.idle_names)
    parents = {link.parent for link in mechanism.links}
    ends: dict[str, None] = {}
    for k, link in enumerate(mechanism.links):
        if k in inside or k in parents or link.is_platform:
            continue
        rates = {
            model.layout.u_names[c] for i in mechanism.path_to_root(k) if i not in inside for c in _columns(model, i)
        }
        if rates & idle:
            ends[link.name] = None
    if not ends:
        return ""
    few = ", ".join(list(ends)[:MOST]) + (f" and {len(ends) - MOST} more" if len(ends) > MOST else "")
    return f" No loop holds {few} at the end of {'their chains' if len(ends) > 1 else 'its chain'}: is one forgotten?"


def locking_words(model: "Model", drives: Sequence[str]) -> str:
    """Which loops lock drives (at least one), what is strange about their axes, and the remedy."""
    mechanism = model.mechanism
    links = {d.link for d in mechanism.drives if d.name in drives}
    cuts = [cut for cut in mechanism.cuts if links & ring_of(mechanism, cut)]
    if not cuts:
        return "Its loops lock it. Drive another joint."
    several = len(cuts) > 1
    names = ", ".join(cut.name for cut in cuts[:MOST]) + (f" and {len(cuts) - MOST} more" if len(cuts) > MOST else "")
    odd = say_odd_axes(model.linkage, model.home, cuts)
    return (
        f"The loop{'s' * several} that lock{'' if several else 's'} it: {names}{odd}. An axis or a placement in "
        f"{'these loops' if several else 'that loop'} may be wrong: look at the joints there; or drive another joint."
    )


def _columns(model: "Model", link: int) -> list[int]:
    return [int(c) for c in model.mechanism.links[link].columns]


def tell_redundant(model: "Model") -> None:
    """Say that a robot of another program's file has more drives than freedoms, where it does not say itself how they share."""
    mechanism, drives = model.mechanism, model.layout.drive_names
    if not model.robot._sharing_assumed or len(drives) <= model.mobility:
        return
    inside = {i for cut in mechanism.cuts for end in (cut.first, cut.second) for i in mechanism.path_to_root(end)}
    own = [i for i in sorted(inside) if mechanism.links[i].nu == 1]
    rates = model.null_space
    locked = [
        mechanism.links[i].joint
        for i in own
        if not rates.shape[1] or np.abs(rates[mechanism.links[i].u]).max() < LOCKED
    ]
    few = f"; loops lock {', '.join(locked[:MOST])}{' …' if len(locked) > MOST else ''}" if locked else ""
    warn(
        f"{model.robot.name}: {len(drives)} drives ({', '.join(drives[:MOST])}) for {model.mobility} freedom"
        f"{'s' * (model.mobility != 1)}, in a file that does not say how they share: `drive_sharing: least_norm` was taken"
        f"{few}{say_odd_axes(model.linkage, model.home)}. If the robot is not redundant, a passive joint has another axis or "
        "fewer freedoms than meant, a loop is one too many, or a driven joint is passive; if it is, state drive_sharing in the "
        "file of loops.",
        StructureWarning,
    )
