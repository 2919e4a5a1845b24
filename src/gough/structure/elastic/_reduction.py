"""A described flexible body to its constants: elements or modal data, frames, basis, damping, stated stiffnesses."""

import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from gough import fem
from gough.errors import ModalDataWarning, ReductionWarning, UsageError, warn
from gough.fem.reduction.choices import MEAN, BasisChoice
from gough.fem.reduction.damping import Damping, damping_matrix
from gough.fem.reduction.ties import TiedElements, tie_frames
from gough.robot import Pose
from gough.robot.files import resolve_path
from gough.robot.flexible import Flexible, TieRule
from gough.robot.flexible.modes import ORIGIN, FlexibleDamping, ShapeChoice
from gough.robot.flexible.other_programs import Modal
from gough.structure.elastic.bodies import Points, point_key

ROUNDING = 1e-6
"""Momentum of a shape relative to its largest possible one that is no more than rounding."""


def described_body(
    flexible: Flexible, frames: Mapping[str, Pose], points: Points, carried: bool, file: str | None
) -> fem.ElasticBody:
    """Constants of a body. frames: its named ones. points: what is attached, by key. file: the description's, for paths."""
    keys = _frame_keys(frames)
    if flexible.modal is not None:
        body = modal_body(flexible, {key: (p, _tie_rule(flexible, key, keys)) for key, p in points.items()}, file)
    else:
        places = points | {keys[ORIGIN]: np.zeros(3)} if _names_origin(flexible) else points
        body = _reduce_described(flexible, keys, places, carried, file)
    return _relabel(_damp(_with_stated_stiffness(body, flexible), flexible.damping), keys)


def _frame_keys(frames: Mapping[str, Pose]) -> dict[str, str]:
    """The key of each named frame's point, and of the origin's."""
    return {ORIGIN: point_key(np.zeros(3))} | {name: point_key(np.array(p.position)) for name, p in frames.items()}


def _reduce_described(
    flexible: Flexible, keys: Mapping[str, str], places: Points, carried: bool, file: str | None
) -> fem.ElasticBody:
    """A body from its elements. keys: of its frames by name; places: of everything tied, by key."""
    elements, choice, ties = _reduction_parts(flexible, keys, places, carried, file)
    stated = flexible.modes is not None and flexible.modes.pairs is not None  # what happens to a pair
    with warnings.catch_warnings() if stated else nullcontext():
        if stated:
            warnings.filterwarnings("ignore", ".*degenerate modes.*", ReductionWarning)
        body = fem.reduce(elements, choice, ties, None, flexible.stiffening)
    return _without_momentum(body) if getattr(choice, "frame", None) == MEAN else body


def tied_body(
    flexible: Flexible, frames: Mapping[str, Pose], points: Points, carried: bool, file: str | None
) -> tuple[TiedElements, BasisChoice, dict[str, str]]:
    """(its elements with their ties, the basis chosen, names of its frames by key) of a body that is no modal data."""
    keys = _frame_keys(frames)
    places = points | {keys[ORIGIN]: np.zeros(3)} if _names_origin(flexible) else points
    elements, choice, ties = _reduction_parts(flexible, keys, places, carried, file)
    return tie_frames(elements, ties), choice, {key: name for name, key in reversed(list(keys.items()))}


def _reduction_parts(
    flexible: Flexible, keys: Mapping[str, str], places: Points, carried: bool, file: str | None
) -> tuple[fem.FiniteElements, BasisChoice, dict[str, fem.NodeTie]]:
    assert flexible.modes is not None
    said = {key: _tie_rule(flexible, key, keys) for key in places}
    held_by_a_node = [p for key, p in places.items() if said[key].radius is None and said[key].nodes is None]
    cut = flexible.shape.finite_elements(held_by_a_node, file)
    choice = basis_choice(flexible.modes, keys, list(places), carried)
    return cut, choice, {key: _tie(said[key], cut, position) for key, position in places.items()}


def basis_choice(modes: ShapeChoice, keys: Mapping[str, str], attached: list[str], carried: bool) -> BasisChoice:
    """The reduction in the words of `fem`. keys: of the frames of the body by name; attached: those of everything tied."""

    def key(name: str | None, default: str) -> str:
        return default if name is None else MEAN if name == MEAN else keys[name]

    count: fem.ModeCut | int = 0
    if modes.number != 0 and (modes.number is not None or modes.up_to is not None):
        count = fem.ModeCut(modes.number, modes.up_to, modes.pairs or "keep")
    align = None if modes.align is None else keys[modes.align]
    seen_from = key(modes.frame, keys[ORIGIN] if carried else MEAN)
    interfaces = tuple(attached if modes.interfaces is None else (keys[name] for name in modes.interfaces))
    if seen_from != MEAN and seen_from not in interfaces:
        interfaces = (seen_from, *interfaces)
    match modes.kind or ("clamped" if carried else "free"):
        case "free":
            return fem.FreeModes(count, key(modes.frame, MEAN), align)
        case "clamped":
            return fem.ClampedModes(key(modes.frame, keys[ORIGIN]), count, align)
        case "nodal":
            return fem.Nodal(key(modes.frame, keys[ORIGIN]))
        case "craig_bampton":
            return fem.CraigBampton(interfaces, count, seen_from)
        case "guyan":
            return fem.Guyan(interfaces, seen_from)
    return fem.AttachmentModes(interfaces, count, seen_from)


def _names_origin(flexible: Flexible) -> bool:
    modes = flexible.modes
    if modes is None:
        return False
    held = modes.kind in ("clamped", "nodal") and modes.frame is None
    return held or ORIGIN in (modes.frame, modes.align, *(modes.interfaces or ()))


def _tie_rule(flexible: Flexible, key: str, keys: Mapping[str, str]) -> TieRule:
    """What the description says of how the frame under a key is held: of a frame there by name, else of all."""
    named = next((tie for name, tie in flexible.ties.at.items() if keys[name] == key), None)
    return named or TieRule(radius=flexible.ties.radius, tolerance=flexible.ties.tolerance)


def _tie(said: TieRule, cut: fem.FiniteElements, position: np.ndarray) -> fem.NodeTie:
    if said.nodes is None:
        return fem.NodeTie(position, radius=said.radius, tolerance=said.tolerance)
    if said.nodes not in cut.node_sets:
        known = ", ".join(cut.node_sets) or "none"
        raise UsageError(f"ties: there is no set of nodes {said.nodes!r}; there are: {known}")
    return fem.NodeTie(position, nodes=cut.node_sets[said.nodes])


def _without_momentum(body: fem.ElasticBody) -> fem.ElasticBody:
    """Mean axes: shapes have no momentum, neither of translation nor of turning, so what rounding left of it is zero."""
    size = np.sqrt(np.diag(body.M) * body.mass)
    arm = np.sqrt(np.trace(body.J) / (2 * body.mass))
    turning = 0.5 * (body.N1 - body.N1.transpose(0, 2, 1))
    if np.any(np.abs(body.MSde) > ROUNDING * size) or np.any(np.abs(turning) > ROUNDING * arm * size[:, None, None]):
        raise UsageError(
            "the shapes carry momentum although their axes are mean ones; refine the elements, or clamp a frame"
        )
    slaved = body.slaved
    if slaved is not None:  # they were made without a mean
        even = 0.5 * (slaved.N1 + slaved.N1.transpose(0, 2, 1))
        slaved = replace(slaved, MSde=np.zeros_like(slaved.MSde), N1=even)
    return replace(body, MSde=np.zeros_like(body.MSde), N1=body.N1 - turning, slaved=slaved)


def _with_stated_stiffness(body: fem.ElasticBody, flexible: Flexible) -> fem.ElasticBody:
    """The body with the stiffnesses or frequencies that the description states in the place of its own."""
    stated, what = flexible.stiffness or flexible.frequencies, "stiffness" if flexible.stiffness else "frequencies"
    if stated is None:
        return body
    if len(stated) != body.modes:
        raise UsageError(f"{what}: {len(stated)} numbers for {body.modes} modes; give one for each")
    M = np.diag(body.M)
    if np.any(body.K - np.diag(np.diag(body.K))) or np.any(body.M - np.diag(M)):
        raise UsageError(f"{what}: these coordinates are no modes, each has to do with others; use modes")
    numbers = np.array(stated)
    k = numbers if flexible.stiffness else (2 * np.pi * numbers) ** 2 * M
    hz = np.sqrt(k / M) / (2 * np.pi)
    change = float(np.max(np.abs(hz / body.frequencies_hz - 1)))
    remark = f"{what} stated, up to {change:.2g} of the computed frequencies away"
    return replace(body, K=np.diag(k), frequencies_hz=hz, remarks=(*body.remarks, remark))


def _damp(body: fem.ElasticBody, damping: FlexibleDamping | None) -> fem.ElasticBody:
    said = _damping_choice(damping)
    if said is None:
        return body
    instead = " (in place of the D of the data)" if np.any(body.D) else ""
    kind = f"damping: {type(said).__name__}{instead}"
    remarks = (*(r for r in body.remarks if not r.startswith("damping:")), kind)
    return replace(body, D=damping_matrix(said, body.M, body.K), remarks=remarks)


def _damping_choice(damping: FlexibleDamping | None) -> Damping | None:
    if damping is None:
        return None
    if damping.ratio is not None:
        return fem.ModalRatio(damping.ratio[0] if len(damping.ratio) == 1 else damping.ratio)
    if damping.rayleigh is not None:
        return fem.Rayleigh(damping.rayleigh.alpha, damping.rayleigh.beta)
    return fem.DampingMatrix(np.array(damping.matrix))


def _relabel(body: fem.ElasticBody, keys: Mapping[str, str]) -> fem.ElasticBody:
    """Coordinates without spaces and with the names of frames where they have one: mode1, tip.x, node3.rz; remarks too."""
    names = {key: name for name, key in reversed(list(keys.items()))}

    def label(text: str) -> str:
        frame, dot, component = text.rpartition(".")
        plain = f"{names.get(frame, frame)}{dot}{component}"
        return plain.replace("mode ", "mode").replace("node ", "node").replace(" ", "_")

    def remark(text: str) -> str:
        frame = next((key for key in names if text.startswith(f"frame {key} ") or text.endswith(f" frame {key}")), None)
        return text if frame is None else text.replace(frame, names[frame])

    return replace(body, labels=tuple(map(label, body.labels)), remarks=tuple(map(remark, body.remarks)))


AT_THE_PLACE = 1e-6
"""Distance, relative to the body, at which a frame of the file is the one at an attached point."""

Held = Mapping[str, tuple[np.ndarray, TieRule]]


def modal_body(flexible: Flexible, attached: Held, file: str | None) -> fem.ElasticBody:
    """A body from modal data. attached: by key, position (3,) and what holds it: a frame of the file there, or nodes."""
    assert flexible.modal is not None
    data = _modal_data(flexible.modal, file)
    own: dict[str, str] = {}
    ties: dict[str, fem.NodeTie] = {}
    for key, (position, said) in attached.items():
        name = _frame_there(data, position, said)
        if name is not None:
            own[key] = name
        else:
            ties[key] = fem.NodeTie(position, radius=said.radius, tolerance=said.tolerance)
    body = fem.elastic_body_of_modes(data, ties, None, flexible.stiffening)
    for key, name in own.items():
        if np.abs(body.frames[name].rotation - np.eye(3)).max() > AT_THE_PLACE:
            warn(
                f"the file's frame {name!r} has axes of its own; those of {key} in the description are used",
                ModalDataWarning,
            )
    theirs = {key: replace(body.frames[name], rotation=np.eye(3)) for key, name in own.items()}
    return replace(body, frames={key: body.frames[key] for key in ties} | theirs)


def _modal_data(described: Modal, file: str | None) -> fem.ModalData:
    given = None if described.units is None else described.units.factors()
    if described.file is not None:
        return fem.read_modal_file(resolve_path(described.file, file), given)
    assert described.bulk is not None and described.op2 is not None
    bulk, op2 = resolve_path(described.bulk, file), resolve_path(described.op2, file)
    return fem.read_nastran_modes(bulk, op2, described.subcase, given or fem.UnitFactors())


def _frame_there(data: fem.ModalData, position: np.ndarray, said: TieRule) -> str | None:
    """The name of the file's frame at a position: the one that the description names, or any that stands there."""
    size = float(np.linalg.norm(np.ptp(data.nodes, axis=0)))
    near = AT_THE_PLACE * size if said.tolerance is None else said.tolerance
    distance = {name: float(np.linalg.norm(frame.position - position)) for name, frame in data.frames.items()}
    if said.nodes is not None:
        if said.nodes not in distance:
            raise UsageError(f"ties: the file has no frame {said.nodes!r}; it has: {', '.join(distance) or 'none'}")
        if distance[said.nodes] > near:
            where = np.asarray(data.frames[said.nodes].position).tolist()
            raise UsageError(f"ties: the file's frame {said.nodes!r} is at {where}, not at {position.tolist()}")
        return said.nodes
    if said.radius is not None or not distance:
        return None
    there = sorted((name for name in distance if distance[name] <= near), key=lambda name: distance[name])
    other = next(
        (name for name in there[1:] if distance[name] == distance[there[0]] and _differ(data, there[0], name)), None
    )
    if other is not None:
        raise UsageError(
            f"the file has two frames at {position.tolist()} that move differently, {there[0]!r} and {other!r}: say which one "
            f"holds, for instance ties: {{at: {{{point_key(position)}: {{nodes: {there[0]}}}}}}}"
        )
    return there[0] if there else None


def _differ(data: fem.ModalData, first: str, second: str) -> bool:
    def motion(name: str) -> list:
        f = data.frames[name]
        return [f.node, *(None if x is None else np.asarray(x).tolist() for x in (f.translation, f.turning, f.second))]

    return motion(first) != motion(second)
