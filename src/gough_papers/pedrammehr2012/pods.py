"""The direct route of [Pedrammehr 2012, sections 3–8] for a 6-UPS robot, with its slips and simplifications as switches.

Computes  drive forces, and the pods' angular velocities and accelerations, leg by leg in NumPy: what the paper's own figures
          show and the library's programs do not separate. With nothing switched it gives the library's forces.
Frames    world axes; arrays (n, 6) and (n, 6, 3) over states and pods.
"""

from dataclasses import dataclass, replace

import numpy as np

from gough import Model
from gough.spatial.poses import rotation_of_quaternion

cross = np.cross


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Over the last axis."""
    return np.einsum("...i,...i->...", a, b)


def on(M: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Matrices times vectors."""
    return np.einsum("...ij,...j->...i", M, a)


@dataclass(frozen=True)
class Part:
    """A body: mass, mass centre (3,) and central tensor (3, 3) in its own axes."""

    m: float
    c: np.ndarray
    I: np.ndarray


@dataclass(frozen=True)
class Pods:
    """Data of a robot [Pedrammehr 2012, Appendix 2]. a, b (6, 3): joints on platform and base. u (6, 3): fixed axes."""

    a: np.ndarray
    b: np.ndarray
    lower: Part
    upper: Part
    platform: Part
    friction: tuple[float, float, float]
    gravity: np.ndarray
    u: np.ndarray


@dataclass(frozen=True)
class Switches:
    """What is computed. spin, moment: False as in the simplified model, no turning about the pod and the joint's moment along it.
    The others: False as printed; eq32_axes does nothing unless eq32 is, the last three are of the closed form alone."""

    spin: bool = True
    moment: bool = True
    eq25: bool = True
    eq32: bool = True
    eq32_axes: bool = True
    eq50: bool = True
    eq42: bool = True
    eq43: bool = True
    appendix1: bool = True


@dataclass(frozen=True)
class PodMotion:
    """How pods move: the paper's letters, with a dot d; scalars (n, 6, 1), vectors (n, 6, 3). R (n, 3, 3): of the platform.
    last: the last term of (25). I (n, 6, 3, 3): tensors of both parts."""

    R: np.ndarray
    q: np.ndarray
    l: np.ndarray
    ld: np.ndarray
    ldd: np.ndarray
    n: np.ndarray
    u: np.ndarray
    c: np.ndarray
    nc: np.ndarray
    un: np.ndarray
    last: np.ndarray
    w: np.ndarray
    alpha: np.ndarray
    L_d: np.ndarray
    L_u: np.ndarray
    I: np.ndarray


@dataclass(frozen=True)
class PodForces:
    """f (n, 6), N, positive lengthens. n (n, 6, 3): along the pods. w, alpha (n, 6, 3): their angular velocity (rad/s) and
    acceleration."""

    f: np.ndarray
    n: np.ndarray
    w: np.ndarray
    alpha: np.ndarray


ALL_ON = Switches()
PRINTED = Switches(eq25=False, eq32=False, eq32_axes=False, eq50=False, eq42=False)
"""Every slip as it stands in the paper; (21) is not on the way to forces. What may be a fault of our text (dots, indices, a
bracket) is read as it must be."""
AS_READ = replace(PRINTED, eq43=False, appendix1=False)
"""In the closed form the two of these that change forces, as our text has them."""
SIMPLIFIED = Switches(spin=False, moment=False)
"""No spin (w·n = alpha·n = 0 in (10) and (11)), and the joint's moment along the pod, where it does nothing; tensors about the
mass centres. Our equations, simplified as the paper says of its references [19, 20], not their equations."""


def pods_of(model: Model) -> Pods:
    """From the gallery robot, all legs alike."""
    value = dict(zip(model.parameter_names, map(float, model.parameters), strict=True))
    legs = model.robot.legs

    def of(joint: str) -> float:
        return value[f"leg0.{joint}.viscous"]

    lower, upper, platform = (_part(value, name) for name in ("leg0.lower", "leg0.upper", "platform"))
    return Pods(
        np.array([leg.on_platform.position for leg in legs]),
        np.array([leg.base.position for leg in legs]),
        lower,
        upper,
        platform,
        (of("hip.friction"), of("slide.drive.friction"), of("ball.friction")),
        np.array(model.robot.gravity),
        np.tile([1.0, 0.0, 0.0], (6, 1)),
    )


def _part(value: dict[str, float], name: str) -> Part:
    m = value[f"{name}.M"]
    c = np.array([value[f"{name}.M{k}"] for k in "XYZ"]) / m
    I = np.array([[value[f"{name}.{''.join(sorted(i + j))}"] for j in "XYZ"] for i in "XYZ"])
    return Part(m, c, I - steiner(m, c))


def steiner(m: float, c: np.ndarray) -> np.ndarray:
    """m (c·c 1 - c cᵀ) of mass centres c (..., 3)."""
    return m * (dot(c, c)[..., None, None] * np.eye(3) - c[..., :, None] * c[..., None, :])


def pod_motion(
    pods: Pods, pose: np.ndarray, twist: np.ndarray, acceleration: np.ndarray, do: Switches = ALL_ON
) -> PodMotion:
    """At poses (n, 7) of the platform, its twists and their derivatives (n, 6); equations are numbered at the lines
    [Pedrammehr 2012, eqs. 1–5, 8–9, 13–17, 22–23, 25–28, 32–33, corrected]; (9) is taken from (11)."""

    R = rotation_of_quaternion(pose[:, 3:])
    V, w_p, A, al_p = (x[:, None] for x in (twist[:, :3], twist[:, 3:], acceleration[:, :3], acceleration[:, 3:]))
    q = np.einsum("nij,kj->nki", R, pods.a)  # (3)
    L = pose[:, None, :3] + q - pods.b  # (1), (2)
    l = np.linalg.norm(L, axis=-1, keepdims=True)  # (4)
    n = L / l  # (5)
    Ld, Ldd = V + cross(w_p, q), A + cross(al_p, q) + cross(w_p, cross(w_p, q))
    ld = dot(Ld, n)[..., None]  # (8)
    u = np.broadcast_to(pods.u, n.shape)
    v = cross(u, n)
    v = v / np.linalg.norm(v, axis=-1, keepdims=True)
    c = cross(u, v)
    nc, un = dot(n, c)[..., None], dot(u, n)[..., None]
    w_n = cross(n, Ld) / l  # (16)
    w_t = -dot(w_n, c)[..., None] / nc * do.spin  # (17)
    w = w_n + w_t * n  # (15)
    turning = cross(w, cross(w, L)) + 2 * ld * cross(w, n)
    ldd = dot(Ldd, n)[..., None] - dot(turning, n)[..., None]  # (9)
    a_n = cross(n, Ldd - turning) / l  # (23)
    w_u, w_v = -dot(Ld - ld * n, v)[..., None] / (l * nc), dot(Ld - ld * n, u)[..., None] / (l * nc)  # (13), (14)
    last = w_u * w_v / nc if do.eq25 else -w_u * w_v
    alpha = a_n + (dot(a_n, u)[..., None] * un / (1 - un**2) + last) * n * do.spin  # (22), (25)

    T = np.stack([n, v, cross(n, v)], axis=-1)  # (28)
    L_d, L_u = on(T, pods.lower.c), L + on(T, pods.upper.c)  # (26), (27)
    I = pods.lower.I + pods.upper.I
    if not do.eq32:  # (32), (33): components of (26), (27) as they stand, in base axes, or in the pod's
        d, up = (pods.lower.c, on(np.swapaxes(T, -1, -2), L_u)) if do.eq32_axes else (L_d, L_u)
        I = I + steiner(pods.lower.m, d) + steiner(pods.upper.m, up)
    I_w = T @ I @ np.swapaxes(T, -1, -2)
    return PodMotion(R, q, l, ld, ldd, n, u, c, nc, un, last, w, alpha, L_d, L_u, I_w)


def pod_forces(
    pods: Pods, pose: np.ndarray, twist: np.ndarray, acceleration: np.ndarray, do: Switches = ALL_ON
) -> PodForces:
    """Drive forces at poses (n, 7) of the platform, its twists and their derivatives (n, 6)
    [Pedrammehr 2012, eqs. 29–30, 36–37, 40]."""
    k = pod_motion(pods, pose, twist, acceleration, do)
    n, w, w_p = k.n, k.w, twist[:, None, 3:]
    a_d = cross(k.alpha, k.L_d) + cross(w, cross(w, k.L_d))  # (29)
    a_u = cross(k.alpha, k.L_u) + cross(w, cross(w, k.L_u)) + 2 * k.ld * cross(w, n) + k.ldd * n  # (30)
    g, (C_u, C_p, C_s) = pods.gravity, pods.friction
    m_d, m_u = pods.lower.m, pods.upper.m
    N = (  # (36)
        m_u * cross(k.L_u, a_u - g)
        + m_d * cross(k.L_d, a_d - g)
        + on(k.I, k.alpha)
        + cross(w, on(k.I, w))
        + C_s * (w - w_p)
        + C_u * w
    )
    m = dot(N, n)[..., None] / k.nc * do.moment  # (37)
    F = (m_u * dot(n, a_u - g)[..., None] + C_p * k.ld) * n + cross(
        N - m * k.c, n
    ) / k.l  # (40) without the drive's force
    return PodForces(drive_forces(pods, k, F, twist, acceleration, do), n, w, k.alpha)


def drive_forces(
    pods: Pods, k: PodMotion, F: np.ndarray, twist: np.ndarray, acceleration: np.ndarray, do: Switches = ALL_ON
) -> np.ndarray:
    """(n, 6), N, that carry the platform and what the pods need at it, F (n, 6, 3)."""
    force, moment = _platform(pods, twist[:, 3:], acceleration, k.R, do)
    rub = pods.friction[2] * (k.w - twist[:, None, 3:])
    force, moment = force + F.sum(1), moment + cross(k.q, F).sum(1) - rub.sum(1)
    columns = np.swapaxes(np.concatenate([k.n, cross(k.q, k.n)], axis=-1), -1, -2)
    return np.linalg.solve(columns, np.concatenate([force, moment], axis=-1)[..., None])[..., 0]


def _platform(
    pods: Pods, w: np.ndarray, acceleration: np.ndarray, R: np.ndarray, do: Switches
) -> tuple[np.ndarray, np.ndarray]:
    """What the platform needs without legs: force and moment at its origin [Pedrammehr 2012, eqs. 45–47, 49–50, corrected]."""
    al, body = acceleration[:, 3:], pods.platform
    r = on(R, body.c)  # (47)
    a = acceleration[:, :3] + cross(al, r) + cross(w, cross(w, r)) - pods.gravity  # (46)
    I = body.I if do.eq50 else body.I + steiner(body.m, r)  # (50): components of (47) as they stand
    I_w = R @ I @ np.swapaxes(R, -1, -2)
    return body.m * a, body.m * cross(r, a) + on(I_w, al) + cross(w, on(I_w, w))
