"""States of the closed robot along filtered coordinates, in chunks: nothing but the result grows with the record.

Configurations follow one another from chunk to chunk, so that the robot stays in the assembly it began in; velocities and
accelerations come from the loops at the filtered rates (see `simulation/motion/states.py`), not from differences of q. A step of
a joint that its rates do not explain is another assembly, and told.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.identification.data._ways import Way
from gough.kinematics.retraction import coordinate_sizes
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.states import states_for, velocities

if TYPE_CHECKING:
    from gough.model import Model

AT_ONCE = 4096
"""Rows of a chunk."""
CORRECTIONS = 3
"""Steps of least squares, for more coordinates than freedoms."""
NEARLY = 0.05
"""Of the usual reciprocal condition of the drives' map, from which a way is said to come to a singular pose."""
FOLDED = 0.5
"""Of a leg's usual reciprocal condition, from which it is nearly stretched or folded."""
LOOKED_AT = 2**15
"""Rows of a way that are looked at for singular poses, at least, where it has as many."""
LEAP = 0.05
"""Change of a joint between two rows, beyond what its rates make, that is another assembly (rad, or of the robot's size)."""


@dataclass(frozen=True)
class RobotStates:
    """q (n, nq), v and acceleration (n, nv): NaN in rows where nothing closes; status (n,): codes; misfit: root mean square of
    what is left of the coordinates (m, rad) by channel, where there are more than freedoms; leaps (m,): rows after which q
    jumps."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    status: np.ndarray
    misfit: np.ndarray
    leaps: np.ndarray


def close_states(way: Way, wanted: Sample, step: float, near: np.ndarray | None = None) -> RobotStates:
    """States where the channels of a way are `wanted` (n, k), rows `step` seconds apart; near (nq,): whose assembly they begin
    in, default home; near (n, nq): a state not far from each of them."""
    model = way.model
    layout, n = model.layout, len(wanted.position)
    q, v = np.full((n, layout.nq), np.nan), np.full((n, layout.nv), np.nan)
    acceleration, status = np.full((n, layout.nv), np.nan), np.zeros(n, dtype=np.uint8)
    squares = np.zeros(len(way.names))
    lead = way.exact or way.target
    taken = [way.names.index(name) for name in lead.names] if way.exact is not None else slice(None)
    for start in range(0, n, AT_ONCE):
        part = slice(start, min(start + AT_ONCE, n))
        here = Sample(*(x[part] for x in (wanted.position, wanted.velocity, wanted.acceleration)))
        begun = near if near is None or near.ndim == 1 else near[part]
        found = states_for(lead, np.arange(part.stop - start, dtype=float), _some(here, taken), begun)
        own_q, own_v, own_a = found.q, found.v, found.acceleration
        if way.exact is not None:
            own_q = _corrected(way, own_q, here.position)
            own_v, own_a, _ = velocities(way.target, own_q, here)
            squares += np.nansum((here.position - own_q[:, _places(way)]) ** 2, axis=0)
        q[part], v[part], status[part] = own_q, own_v, found.status
        acceleration[part] = 0.0
        acceleration[part, : layout.mobility] = own_a
        good = np.flatnonzero(np.isfinite(own_q).all(axis=1))
        if (near is None or near.ndim == 1) and len(good):
            near = own_q[good[-1]]
    acceleration[~np.isfinite(q).all(axis=1)] = np.nan
    return RobotStates(q, v, acceleration, status, np.sqrt(squares / max(n, 1)), _leaps(model, q, v, step))


def singular_words(model: "Model", q: np.ndarray) -> str:
    """What to say where the drives lose hold of the robot along configurations (n, nq), NaN where nothing closes: the distance
    to singular poses becomes small, or the determinant of the drives' map changes sign; "" where neither is."""
    good = q[np.isfinite(q).all(axis=1)]
    good = good[:: max(1, len(good) // LOOKED_AT)]
    if not len(good) or len(model.layout.drive_names) != model.mobility:
        return ""
    near, sign = np.concatenate(
        [_distances(model, good[k : k + AT_ONCE]) for k in range(0, len(good), AT_ONCE)], axis=1
    )
    known = np.isfinite(near)
    if not known.any():
        return ""
    usual, least = float(np.median(near[known])), float(near[known].min())
    turned = np.ptp(sign[known]) > 0
    if not turned and least > NEARLY * usual:
        return ""
    how = (
        "the determinant of the drives' map changes sign"
        if turned
        else f"its reciprocal condition falls to {least:.2g}, {usual:.2g} usually"
    )
    return f"the robot comes to a singular pose on its way, where drives move it no more as they are told ({how})"


def folded_words(model: "Model", q: np.ndarray) -> str:
    """What to say where loops stop closing along configurations (n, nq), NaN in such rows, since a leg comes to a stretched or
    folded pose there: drives take the robot through it, but velocities that leave the leg's own joints open do not. "" where v
    are the drives' rates, and where no leg does."""
    layout = model.layout
    closed = np.isfinite(q).all(axis=1)
    lost = np.zeros(len(q) + 2, dtype=bool)
    lost[1:-1] = ~closed
    last = np.flatnonzero(closed & (lost[:-2] | lost[2:]))
    if not len(last) or layout.v_names[: layout.mobility] == layout.drive_names:
        return ""
    good = np.flatnonzero(closed)
    good = good[:: max(1, len(good) // AT_ONCE)]
    here, way, home = (model.singularity(x) for x in (q[last], q[good], model.home[None]))
    if not here.serial_names:
        return ""
    usual = np.maximum(np.median(way.serial, axis=0), home.serial[0])
    least = here.serial.min(axis=0)
    k = int(np.argmin(least / np.maximum(usual, 1e-300)))
    if not least[k] < FOLDED * usual[k]:
        return ""
    led = ", ".join(layout.v_names[: layout.mobility])
    return (
        f"next to them {_leg_name(here.serial_names[k])} is nearly stretched or folded (reciprocal condition {least[k]:.2g}, "
        f"{usual[k]:.2g} usually), where the equations, whose independent velocities are {led}, end; does the robot go through "
        "such a pose? Write 'velocities: drives' into the description, with which they do not"
    )


def _leg_name(name: str) -> str:
    return name if name.startswith("leg") else f"leg or loop {name}"


def _distances(model: "Model", q: np.ndarray) -> np.ndarray:
    """(2, n): the reciprocal condition of what the drives hold, by the closures where v are the drives' rates; the sign of the
    determinant of their map."""
    found = model.singularity(q)
    S = found.scaled_map
    square = S.shape[-1] == S.shape[-2] > 0
    sign = np.sign(np.linalg.det(np.nan_to_num(S))) if square else np.zeros(len(q))
    return np.stack([found.parallel, sign])


def _some(sample: Sample, which: list[int] | slice) -> Sample:
    return Sample(sample.position[:, which], sample.velocity[:, which], sample.acceleration[:, which])


def _places(way: Way) -> list[int]:
    return [way.model.layout.index(name) for name in way.names]


def _corrected(way: Way, q: np.ndarray, position: np.ndarray) -> np.ndarray:
    """q (n, nq) moved to where all channels are met in the sense of least squares, in the target's scales."""
    model, target = way.model, way.target
    scales, places = target.scales, _places(way)
    out = q.copy()
    good = np.flatnonzero(np.isfinite(q).all(axis=1))
    for _ in range(CORRECTIONS):
        missing = (position[good] - out[good][:, places]) * scales
        A = target.rows(out[good]) * scales[:, None]
        dv = np.zeros((len(good), model.layout.nv))
        dv[:, : A.shape[2]] = np.einsum("nij,nj->ni", np.linalg.pinv(A, rcond=1e-10), missing)
        out[good] = model.integrate(out[good], dv, on_bad_state="mark")
    return out


def _leaps(model: "Model", q: np.ndarray, v: np.ndarray, step: float) -> np.ndarray:
    """Rows after which a joint moves otherwise than its rates say."""
    scalar = [(link.q, link.u) for link in model.mechanism.links if link.nu == 1]
    if not scalar or len(q) < 2:
        return np.zeros(0, dtype=int)
    places, columns = (list(k) for k in zip(*scalar, strict=True))
    sizes = coordinate_sizes(model.mechanism, model.size)[places]
    out = []
    for start in range(0, len(q) - 1, AT_ONCE):
        part = slice(start, min(start + AT_ONCE + 1, len(q)))
        u = model.function("tree_rates").values(q=q[part], v=v[part], parameters=model.parameters)["u"][:, columns]
        way = 0.5 * step * (u[1:] + u[:-1])
        moved = np.diff(q[part][:, places], axis=0)
        off = np.abs(moved - way) / sizes
        bad = (off > LEAP + 0.5 * np.abs(way) / sizes).any(axis=1)
        out.append(start + np.flatnonzero(bad))
    return np.concatenate(out)
