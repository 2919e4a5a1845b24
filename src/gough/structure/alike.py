"""Structure that legs have in common: what is zero in one leg only must stay an input, or the legs' programs differ."""

from collections import defaultdict
from collections.abc import Mapping

from gough.structure.mechanism import CutJoint, Link, Structure


def common_pattern(structure: Structure, pattern: Mapping[int, float]) -> dict[int, float]:
    """{parameter: structural value} of those that have the same value at this place in all legs that are built alike.

    Where nothing is described as a leg, what hangs on the world or the platform by one joint counts as one.
    """
    alike: dict[object, list[list[int]]] = defaultdict(list)
    seen: set[int] = set()
    for shape, places in _legs(structure):
        seen.update(places)
        alike[shape].append(places)
    common = {i: x for i, x in pattern.items() if i not in seen}
    for legs in alike.values():
        for members in zip(*legs, strict=True):
            values = {pattern.get(i) for i in members}
            if len(values) == 1 and None not in values:
                common |= {i: pattern[i] for i in members}
    return dict(sorted(common.items()))


def _legs(structure: Structure) -> list[tuple[object, list[int]]]:
    """(how it is built, positions of its parameters in order) of every leg."""
    roots = [_root(structure, i) for i in range(len(structure.links))]
    links, cuts, ties, frames, coupled = (defaultdict(list) for _ in range(5))
    for root, link in zip(roots, structure.links, strict=True):
        if root is not None:
            links[root].append(link)
    for cut in structure.cuts:
        ends = [i for i in (cut.first, cut.second) if i >= 0]
        own = [roots[i] for i in ends if roots[i] is not None]
        if own:
            cuts[own[0]].append(cut)
            ties[own[0]] += [
                structure.links[i] for i in ends if roots[i] is None and structure.links[i].tie is not None
            ]
    for coupling in structure.couplings:
        own = [
            root for link, root in zip(structure.links, roots, strict=True) if link.u == coupling.terms[0].u and link.nu
        ]
        if own and own[0] is not None:
            coupled[own[0]].append(coupling)
    for frame in structure.frames.values():
        frames[roots[frame.link]].extend(frame.placement)
    found = []
    for root, own in links.items():
        weights = [structure.drives[x.drive].weight for x in own if x.drive is not None]
        parts = [
            *map(_of_link, own),
            *map(_of_cut, cuts[root]),
            *map(_of_link, ties[root]),
            *(c.parameters for c in coupled[root]),
            frames[root],
            [w for w in weights if w is not None],
        ]
        built = (
            [(link.motion, link.axis, link.sign, link.nu, link.law) for link in own],
            [x.type for x in (*cuts[root], *coupled[root])],
        )
        shape = (tuple(built[0]), tuple(built[1]), tuple(tuple(i >= 0 for i in part) for part in parts))
        found.append((shape, [i for part in parts for i in part if i >= 0]))
    return found


def _root(structure: Structure, link: int) -> tuple[str, int] | None:
    """Which leg a link belongs to; None of a platform, and of frames tied to one."""
    own = structure.links[link]
    if own.leg >= 0:
        return "leg", own.leg
    platform = 0 if structure.has_platform else None
    path = [i for i in structure.path_to_root(link) if i != platform and structure.links[i].tie is None]
    return ("chain", path[0]) if path else None


def _of_link(link: Link) -> list[int]:
    """Positions of its parameters; below 0 stand for numbers, see structure.elastic."""
    groups = [link.placement, link.ten or (), link.telescopic[1] if link.telescopic else (), link.friction]
    groups += [link.spring or (), link.rotors, () if link.weight_share is None else (link.weight_share,)]
    if link.elastic is not None:
        e, s = link.elastic, link.elastic.slaved
        groups += [e.MSde, e.N1, e.N2, e.M, e.K, e.D]
        groups += [] if s is None else [s.forms, s.along, s.MSde, s.N1, s.products]
    if link.tie is not None:
        groups += [link.tie.translation, link.tie.turning, link.tie.second]
    return [i for group in groups for i in group]


def _of_cut(cut: CutJoint) -> list[int]:
    return [*cut.on_first, *cut.on_second, *(i for i in (cut.length, cut.angle) if i is not None), *cut.friction]
