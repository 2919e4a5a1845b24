"""Flexible bodies of a description: where things are attached to them, their constants, and the places of those.

A frame tied to a flexible body becomes a massless link of its own ("deflection"); what is attached there hangs on it.
"""

from dataclasses import replace

import numpy as np

from gough.errors import StructureError
from gough.fem.elastic_body import ElasticBody, TiedFrame
from gough.robot import Robot
from gough.robot.tree import bodies, placed_joints, placed_loops, platform_name
from gough.structure.elastic import Elastic, Tie
from gough.structure.parameters import ParameterTable

NOTHING = 1e-12
"""A constant this small beside its largest possible value is a zero."""
LARGE = 0.03
"""Deflection relative to the body's size, or rotation (rad), that a coordinate's typical large amplitude makes."""

Points = dict[str, np.ndarray]


def composed(base, pose) -> tuple[np.ndarray, np.ndarray]:
    """(R, p) of a pose given in a base frame (None: the identity)."""
    rotation, position = np.asarray(pose.rotation()), np.asarray(pose.position, dtype=float)
    if base is None:
        return rotation, position
    R = np.asarray(base.rotation())
    return R @ rotation, np.asarray(base.position, dtype=float) + R @ position


def point_key(position: np.ndarray) -> str:
    """Name of the tied frame at a point of a body (body axes, m)."""
    return "at " + " ".join(f"{x + 0.0:.9g}" for x in np.round(position, 12))


def attached_points(robot: Robot) -> dict[str, Points]:
    """{body: {key: position (3,)}} of everything that is attached to flexible bodies: joints, loops, springs, frames."""
    points: dict[str, Points] = {name: {} for name, body in bodies(robot).items() if body.flexible is not None}

    platform = platform_name(robot)

    def add(body: str, position: np.ndarray) -> None:
        if body == "platform" and body not in points and platform is not None:
            body = platform
        if body in points:
            points[body][point_key(position)] = np.asarray(position, dtype=float)

    for joint in placed_joints(robot):
        if joint.joint.type != "free":  # what a joint carries must be held at its origin: see `demand_still`
            add(joint.body_name, np.zeros(3))
        add(joint.parent, composed(joint.base, joint.joint.placement)[1])
    for loop in placed_loops(robot):
        add(loop.first, composed(loop.first_base, loop.first_pose)[1])
        add(loop.second, composed(loop.second_base, loop.second_pose)[1])
    for spring in robot.springs:
        for end in (spring.from_, spring.to):
            add(end.body, np.asarray(end.position, dtype=float))
    for name, body in bodies(robot).items():
        for pose in body.frames.values():
            add(name, np.asarray(pose.position, dtype=float))
    return points


def turned(body: ElasticBody, axes: np.ndarray) -> ElasticBody:
    """The same body in axes whose directions are the columns of `axes` (3, 3) in the old ones."""
    A = axes.T

    def tensors(x: np.ndarray) -> np.ndarray:
        return np.einsum("ia,...ab,jb->...ij", A, x, A)

    def vectors(x: np.ndarray) -> np.ndarray:
        return np.einsum("ia,a...->i...", A, x)

    frames = {
        key: TiedFrame(
            A @ f.position,
            A @ f.rotation,
            A @ f.translation,
            A @ f.turning,
            None if f.second is None else vectors(f.second),
        )
        for key, f in body.frames.items()
    }
    return replace(
        body,
        MS=A @ body.MS,
        J=tensors(body.J),
        MSde=A @ body.MSde,
        MSdd=None if body.MSdd is None else vectors(body.MSdd),
        N1=tensors(body.N1),
        N2=tensors(body.N2),
        frames=frames,
    )


def cleaned(body: ElasticBody) -> ElasticBody:
    """The body with zeros where integrals only have rounding errors, judged by the bounds of Cauchy and Schwarz."""
    size = np.sqrt(np.diag(body.M))  # of every Φ_k over the mass
    arm = np.sqrt(max(np.trace(body.J), 0.0) / 2)
    root = np.sqrt(body.mass)
    pairs = size[:, None] * size[None, :]

    def clean(x: np.ndarray, bound: np.ndarray) -> np.ndarray:
        return np.where(np.abs(x) <= NOTHING * bound, 0.0, x)

    second = (
        None if body.MSdd is None else clean(body.MSdd, pairs * root / max(arm, 1e-300))
    )  # Ψ is about Φ² over a length
    stiffness = np.sqrt(np.abs(np.outer(np.diag(body.K), np.diag(body.K))))
    return replace(
        body,
        MS=clean(body.MS, np.array(root * arm)),
        J=clean(body.J, np.array(arm * arm)),
        MSde=clean(body.MSde, root * size),
        MSdd=second,
        N1=clean(body.N1, arm * size[:, None, None]),
        N2=clean(body.N2, pairs[:, :, None, None]),
        M=clean(body.M, pairs),
        K=clean(body.K, stiffness),
        frames={key: _clean_frame(f) for key, f in body.frames.items()},
    )


def _clean_frame(frame: TiedFrame) -> TiedFrame:
    def clean(x: np.ndarray) -> np.ndarray:
        return np.where(np.abs(x) <= NOTHING * np.abs(x).max(initial=0.0), 0.0, x)

    second = None if frame.second is None else clean(frame.second)
    return replace(frame, translation=clean(frame.translation), turning=clean(frame.turning), second=second)


def add_elastic(table: ParameterTable, name: str, body: ElasticBody, q: int, u: int) -> Elastic:
    """Places of the constants of a body (internal axes) whose coordinates start at q and u."""
    m = body.modes
    pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
    every = pairs if body.MSdd is None else [(k, ell) for k in range(m) for ell in range(m)]

    def add(what: str, index: tuple[int, ...], values: np.ndarray, unit: str) -> list[int]:
        label = ",".join(str(i + 1) for i in index)
        suffixes = [""] if values.ndim == 0 else "xyz" if values.ndim == 1 else [a + b for a in "xyz" for b in "xyz"]
        return [
            table.add(f"{name}.{what}[{label}]{'.' if s else ''}{s}", float(x), unit) if x != 0.0 else -1
            for s, x in zip(suffixes, values.ravel(), strict=True)
        ]

    def symmetric(what: str, matrix: np.ndarray) -> tuple[int, ...]:
        return tuple(i for k, ell in pairs for i in add(what, (k, ell), matrix[k, ell], "SI"))

    return Elastic(
        q=q,
        u=u,
        modes=m,
        MSde=tuple(i for k in range(m) for i in add("MSde", (k,), body.MSde[:, k], "SI")),
        MSdd=() if body.MSdd is None else tuple(i for p in pairs for i in add("MSdd", p, body.MSdd[:, *p], "SI")),
        N1=tuple(i for k in range(m) for i in add("N1", (k,), body.N1[k], "SI")),
        N2=tuple(i for p in every for i in add("N2", p, body.N2[p], "SI")),
        M=symmetric("Me", body.M),
        K=symmetric("Ke", body.K),
        D=symmetric("De", body.D),
        units=typical_amplitudes(body),
        remarks=body.remarks,
    )


def add_tie(table: ParameterTable, name: str, frame: TiedFrame, elastic: Elastic) -> Tie:
    """Places of the numbers of a tied frame."""
    m = elastic.modes

    def add(what: str, index: tuple[int, ...], values: np.ndarray) -> list[int]:
        label = ",".join(str(i + 1) for i in index)
        return [
            table.add(f"{name}.{what}[{label}].{s}", float(x), "SI") if x != 0.0 else -1
            for s, x in zip("xyz", values, strict=True)
        ]

    second: tuple[int, ...] = ()
    if frame.second is not None and elastic.stiffened:
        pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
        second = tuple(i for p in pairs for i in add("second", p, frame.second[:, *p]))
    return Tie(
        q=elastic.q,
        u=elastic.u,
        modes=m,
        translation=tuple(i for k in range(m) for i in add("translation", (k,), frame.translation[:, k])),
        turning=tuple(i for k in range(m) for i in add("turning", (k,), frame.turning[:, k])),
        second=second,
    )


def typical_amplitudes(body: ElasticBody) -> tuple[float, ...]:
    """A large amplitude of every coordinate: the body then bends by LARGE of its size, or turns by LARGE rad at a tied frame
    or, where Ψ tells it (minus the square of slopes, summed along the way), on average inside."""
    arm = np.sqrt(max(np.trace(body.J), 0.0) / (2 * body.mass)) if body.mass > 0 else 1.0
    amplitudes = []
    for k in range(body.modes):
        rates = [np.sqrt(body.M[k, k] / body.mass) / arm if body.mass > 0 else 0.0]
        rates += [float(np.abs(f.turning[:, k]).max()) for f in body.frames.values()]
        rates += [float(np.linalg.norm(f.translation[:, k])) / arm for f in body.frames.values()]
        if body.MSdd is not None and body.mass > 0:
            rates.append(float(np.sqrt(np.linalg.norm(body.MSdd[:, k, k]) / (body.mass * arm))))
        largest = max(rates)
        amplitudes.append(LARGE / largest if largest > 0 else 1.0)
    return tuple(amplitudes)


def still(frame: TiedFrame) -> bool:
    """Whether a tied frame does not move with the elastic coordinates at all."""
    return not (frame.translation.any() or frame.turning.any() or (frame.second is not None and frame.second.any()))


def demand_still(name: str, body: ElasticBody, key: str) -> None:
    """Refuse a body whose own frame, which its joint carries, moves with the deformation."""
    frame = body.frames.get(key)
    if frame is not None and not still(frame):
        raise StructureError(
            f"{name}: its joint carries its origin, but the origin moves with the elastic coordinates; use shapes that are "
            f"held there (clamped at the origin)"
        )


def rigid_part(body: ElasticBody) -> np.ndarray:
    """(10,) parameters of the undeformed body about its origin."""
    J = body.J
    return np.array([body.mass, *body.MS, J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])
