"""Which legs have a closed inverse geometry, judged by their joints and by structural zeros.

ups, pus    two rotations that meet in a point and a translation, spherical cut
rus, ruu    a rotation that carries an arm, two rotations that meet in a point, spherical or universal cut
rrr, rrs    two parallel rotations, cut with a parallel axis or spherical
delta       a rotation whose arm carries two or more rods, each with two rotations that meet and a cut of its own
"""

from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import direction
from gough.friction.coulomb import structurally_zero
from gough.joints.motions import Rotation, Translation
from gough.spatial import cross
from gough.structure import WORLD, CutJoint, Link, Mechanism

ELBOWS = ("rus", "ruu", "rrr", "rrs", "delta")
"""Kinds whose first branch is that of the elbow; of the others it is that of the length."""
Rod = tuple[int, int, int]
"""Two links that meet in a point, and the cut at the rod's end."""


def closed_form_kind(numbers: Numbers, leg: int) -> str | None:
    """The kind of a leg, or None when it has no closed form here."""
    mechanism: Mechanism = numbers.mechanism
    own = mechanism.legs[leg]
    links = [mechanism.links[i] for i in own.links]
    cuts = [mechanism.cuts[i] for i in own.cuts]
    motions = [Translation if isinstance(link.motion, Translation) else type(link.motion) for link in links]
    if not cuts or not links or links[0].parent != WORLD:
        return None
    if any(c in link.columns for link in links for coupling in mechanism.couplings for c in coupling.columns):
        return None
    if any(mechanism.links[i].elastic is not None or mechanism.links[i].tie is not None for i in own.links):
        return None
    bent = [cut for cut in cuts if cut.second != 0 and mechanism.links[cut.second].tie is not None]
    if any(mechanism.links[cut.second].parent != 0 or cut.type != "spherical" for cut in bent):
        return None
    if any(cut.second != 0 and platform_tie(mechanism, cut.second) is None for cut in cuts if cut not in bent):
        return None
    if rods_of(mechanism, leg) and _has_arm(numbers, links):
        return _arm_kind(numbers, mechanism, leg, cuts)
    if len(cuts) != 1 or mechanism.path_to_root(cuts[0].first) != own.links:
        return None
    spherical = cuts[0].type == "spherical"
    if motions == [Rotation, Rotation, Translation] and spherical and _meet(numbers, links[0], links[1]):
        return "ups"
    if motions == [Translation, Rotation, Rotation] and spherical and _meet(numbers, links[1], links[2]):
        return "pus"
    if motions == [Rotation, Rotation] and _has_arm(numbers, links) and _parallel(numbers, links[0], links[1]):
        if spherical:
            return "rrs"
        pin = numbers.placement(cuts[0].on_first)[0][:, 2]
        along = all(structurally_zero(x) for x in cross(direction(links[1]), pin))
        return "rrr" if cuts[0].type == "revolute" and along else None
    return None


def platform_tie(mechanism: Mechanism, link: int) -> CutJoint | None:
    """The fixed cut that ties a link of the tree to the platform, where it is the platform's body."""
    ties = (cut for cut in mechanism.cuts if cut.type == "fixed" and cut.leg < 0)
    return next((cut for cut in ties if cut.first == link and cut.second == 0), None)


def rods_of(mechanism: Mechanism, leg: int) -> list[Rod]:
    """Rods that the leg's first link carries, when it carries nothing else; the leg's other links in pairs."""
    own = mechanism.legs[leg]
    links, found = own.links, []
    if len(links) < 3 or len(links) % 2 == 0 or any(type(mechanism.links[i].motion) is not Rotation for i in links):
        return []
    for i, j in zip(links[1::2], links[2::2], strict=True):
        cuts = [k for k in own.cuts if mechanism.cuts[k].first == j]
        if mechanism.links[i].parent != links[0] or mechanism.links[j].parent != i or len(cuts) != 1:
            return []
        found.append((i, j, cuts[0]))
    return found if len(found) == len(own.cuts) else []


def _arm_kind(numbers: Numbers, mechanism: Mechanism, leg: int, cuts: list[CutJoint]) -> str | None:
    rods = rods_of(mechanism, leg)
    if not all(_meet(numbers, mechanism.links[i], mechanism.links[j]) for i, j, _ in rods):
        return None
    if any(cut.angle is not None for cut in cuts):
        return None
    types = {cut.type for cut in cuts}
    if len(rods) > 1:
        return "delta" if types <= {"spherical", "universal"} else None
    return {"spherical": "rus", "universal": "ruu"}.get(types.pop())


def _has_arm(numbers: Numbers, links: list[Link]) -> bool:
    """Whether the second joint is off the first one's axis."""
    if type(links[0].motion) is not Rotation:
        return False
    across = cross(direction(links[0]), numbers.placement(links[1].placement)[1])
    return not all(structurally_zero(x) for x in across)


def _meet(numbers: Numbers, first: Link, second: Link) -> bool:
    """Whether the axes of two links, one on the other, meet in the second joint's origin and are not parallel."""
    p = numbers.placement(second.placement)[1]
    return all(structurally_zero(x) for x in p) and not _parallel(numbers, first, second)


def _parallel(numbers: Numbers, first: Link, second: Link) -> bool:
    axis = numbers.placement(second.placement)[0] @ direction(second)
    return all(structurally_zero(x) for x in cross(direction(first), axis))
