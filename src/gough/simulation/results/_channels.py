"""The channels of a run: what can be asked for by name, in which unit, and how it is computed when asked."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.reactions import joint_links
from gough.errors import UsageError
from gough.simulation.coordinates import units_of
from gough.simulation.results._deflection import deflection, tied_frames
from gough.simulation.results._recorded import (
    ANGLES,
    DEFLECTION,
    DEFLECTION_UNITS,
    TWIST_UNITS,
    WRENCH,
    WRENCH_UNITS,
    Channel,
    acceleration_columns,
    drive_units,
    force_columns,
    rate_columns,
)
from gough.simulation.results.energies import ENERGIES, POWERS, energies, powers
from gough.simulation.results.tracking import REFERENCE, tracking, turn_signs
from gough.spatial.euler import coordinates_of
from gough.spatial.poses import pose_array
from gough.structure.layout import POSE_NAMES, POSE_UNITS, TWIST_NAMES

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray

PICTURE = re.compile(r"\.(png|pdf|svg|jpe?g|eps|webp)$", re.IGNORECASE)
"""Names that are meant as files."""


class Catalogue:
    """All channels of a run by name, and where single columns stand."""

    def __init__(self, run: "Run") -> None:
        self.channels = {c.name: c for c in _channels(run)}
        self.channels |= {name: r.channel(name) for name, r in run.recorded.items()}
        self.columns: dict[str, tuple[str, int]] = {}
        for name, r in run.recorded.items():  # first, so that they are taken before computed ones
            self._add(r.channel(name))
        for channel in self.channels.values():
            self._add(channel)
        if run.layout.n_pose:
            platform = run.model.mechanism.platform.name
            for group in ("pose", "angles", "twist"):
                for i, entry in enumerate(self.channels[group].entries):
                    self.columns.setdefault(f"{platform}.{entry}", (group, i))

    def _add(self, channel: Channel) -> None:
        for i, entry in enumerate(channel.entries):
            self.columns.setdefault(entry, (channel.name, i))
            self.columns.setdefault(f"{channel.name}.{entry}", (channel.name, i))

    def find(self, name: str, robot: str) -> tuple[Channel, int | None]:
        """(channel, column of it or None for all); UsageError with the nearest names for an unknown one."""
        if name in self.channels:
            return self.channels[name], None
        if name in self.columns:
            group, column = self.columns[name]
            channel = self.channels[group]
            return channel, None if channel.single else column
        known = list(dict.fromkeys([*self.channels, *(e for c in self.channels.values() for e in c.entries)]))
        near = difflib.get_close_matches(name, known, n=4, cutoff=0.5)
        near = near or [k for k in known if name.split(".")[-1] == k.split(".")[-1]][:4]
        hint = f"did you mean {', '.join(map(repr, near))}?" if near else "run.channels() lists them"
        if PICTURE.search(name):
            hint = f"for a file write path={name!r}"
        raise UsageError(f"no channel {name!r} in this run of {robot}; {hint}")


def _channels(run: "Run") -> Iterator[Channel]:
    layout, model, n, told = run.layout, run.model, len(run), units_of(run.model)

    def channel(name: str, entries: Sequence[str], units: Sequence[str], about: str, compute: Any) -> Channel:
        return Channel(name, tuple(entries), tuple(units), about, n, False, compute)

    def single(name: str, unit: str, about: str, compute: Any) -> Channel:
        return Channel(name, (name,), (unit,), about, n, True, compute)

    yield single("t", "s", "stored times", lambda r: r.time)
    if layout.n_pose:
        yield channel("pose", POSE_NAMES, POSE_UNITS, "platform in the world", lambda r: r.q[:, :7])
        yield channel(
            "angles", ANGLES, ("rad",) * 3, "of the platform, R = Rz(yaw) Ry(pitch) Rx(roll), unwrapped", _angles
        )
        yield channel("twist", TWIST_NAMES, TWIST_UNITS, "of the platform's origin, world axes", _twist)
    yield from _drives(run, channel)
    if layout.n_elastic:
        bent = layout.q_names[layout.elastic]
        at = elastic_columns(model)
        rates = rate_columns(layout, tuple(layout.u_names[c] for c in at))
        yield channel(
            "elastic", bent, told.q[layout.elastic], "elastic coordinates", lambda r: r.q[:, r.layout.elastic]
        )
        units = [told.u[c] for c in at]
        yield channel("elastic.rate", rates, units, "their rates", lambda r: tree_rates(r)[:, at])
    if layout.n_joints:
        at_joints = [c for link in model.mechanism.links if not link.is_platform for c in link.columns]
        rates = rate_columns(layout, tuple(layout.u_names[c] for c in at_joints))
        units = [layout.u_units[c] for c in at_joints]
        yield channel(
            "joints",
            layout.q_names[layout.joints],
            layout.q_units[layout.joints],
            "coordinates of all joints",
            lambda r: r.q[:, r.layout.joints],
        )
        yield channel("joints.rate", rates, units, "their rates", lambda r: tree_rates(r)[:, at_joints])
    yield channel("q", layout.q_names, told.q, "configuration", lambda r: r.q)
    yield channel("v", rate_columns(layout, layout.v_names), told.v, "velocities", lambda r: r.v)
    yield channel(
        "acceleration",
        acceleration_columns(layout),
        told.acceleration,
        "derivative of v",
        lambda r: r.acceleration,
    )
    yield channel(
        "energies", ENERGIES, ["J"] * len(ENERGIES), "energies, works, and what their balance lacks", energies
    )
    yield channel("power", POWERS, ["W"] * len(POWERS), "of drives, losses and wrenches", powers)
    yield from _tracking(run, channel)
    yield single("closure_error", "1", "largest loop error over the robot's size", _closure_error)
    yield single("status", "1", "code of each state, 0 is good", lambda r: r.status)
    yield from _wrenches(run, channel)
    yield from _frames(run, channel)
    yield from _reactions(run, channel)
    yield from _coupling_forces(run, single)


def _drives(run: "Run", channel: Any) -> Iterator[Channel]:
    layout, mechanism = run.layout, run.model.mechanism
    if not layout.drive_names:
        return
    drives, units = layout.drive_names, drive_units(layout)
    at = [mechanism.links[d.link].u for d in mechanism.drives]
    index = run.model.drive_index
    rates = rate_columns(layout, tuple(layout.u_names[c] for c in at))
    yield channel("drives.position", drives, units, "drive coordinates", lambda r: r.q[:, index])
    yield channel("drives.rate", rates, [f"{u}/s" for u in units], "their rates", lambda r: tree_rates(r)[:, at])
    forces = force_columns(layout)
    yield channel("drives.force", forces, layout.drive_units, "forces and torques of the drives", lambda r: r.tau)
    yield channel("tau", forces, layout.drive_units, "as drives.force", lambda r: r.tau)
    powers = [f"power.{d}" for d in drives]
    yield channel("drives.power", powers, ["W"] * len(drives), "force × rate", lambda r: r.tau * r["drives.rate"])


def _tracking(run: "Run", channel: Any) -> Iterator[Channel]:
    about = run.info.motion
    if REFERENCE not in run.recorded or not isinstance(about, Mapping) or "kind" not in about:
        return
    told = {"pose": ("m", "rad"), "point": ("m",)}.get(about["kind"])
    units = told or tuple(dict.fromkeys(run.recorded[REFERENCE].units))
    yield channel(
        "tracking",
        [f"tracking.{unit}" for unit in units],
        units,
        "how far it is from its motion",
        lambda r: np.stack([tracking(r)[unit] for unit in units], axis=1),
    )


def _wrenches(run: "Run", channel: Any) -> Iterator[Channel]:
    for frame in run.wrench:
        name = f"{frame}.wrench" if frame else "wrench"
        entries = [f"{name}.{w}" for w in WRENCH] if frame else WRENCH
        at = frame or "the platform's origin"
        yield channel(name, entries, WRENCH_UNITS, f"on {at}, world axes", lambda r, f=frame: r.wrench[f])


def _frames(run: "Run", channel: Any) -> Iterator[Channel]:
    def entries(name: str, kind: str, columns: Sequence[str]) -> list[str]:
        return [f"{name}.{kind}.{c}" for c in columns]

    tied = tied_frames(run.model)
    for f in run.model.mechanism.frames:
        at = f"frame {f} in the world"
        yield channel(f"{f}.pose", entries(f, "pose", POSE_NAMES), POSE_UNITS, at, lambda r, f=f: _frame_pose(r, f))
        yield channel(
            f"{f}.twist",
            entries(f, "twist", TWIST_NAMES),
            TWIST_UNITS,
            f"of frame {f} at its origin, world axes",
            lambda r, f=f: r.model.frame_twist(r.q, r.v, f, parameters=r.parameters, on_bad_state="mark"),
        )
        if f in tied:
            yield channel(
                f"{f}.deflection",
                entries(f, "deflection", DEFLECTION),
                DEFLECTION_UNITS,
                f"displacement and rotation vector of frame {f} from the undeformed body, body axes",
                lambda r, f=f: deflection(r.model, r.q, f, r.design),
            )


def _reactions(run: "Run", channel: Any) -> Iterator[Channel]:
    mechanism = run.model.mechanism
    joints = [mechanism.links[i].joint for i in joint_links(mechanism)]
    places = [
        *(("joints", i, n) for i, n in enumerate(joints)),
        *(("cuts", i, c.name) for i, c in enumerate(mechanism.cuts)),
    ]
    for kind, i, name in places:
        where = "body axes" if kind == "joints" else "world axes"
        yield channel(
            f"{name}.reaction",
            [f"{name}.{w}" for w in WRENCH],
            WRENCH_UNITS,
            f"wrench through joint {name}, {where}",
            lambda r, kind=kind, i=i: getattr(_all_reactions(r), kind)[:, i],
        )


def _coupling_forces(run: "Run", single: Any) -> Iterator[Channel]:
    names, mechanism = run.layout.q_names, run.model.mechanism
    for i, c in enumerate(mechanism.couplings):
        unit, about = "N" if c.terms[0].slides else "N m", f"of the coupling {c.name} along {names[c.terms[0].q]}"
        yield single(f"{c.name}.force", unit, about, lambda r, i=i: _all_reactions(r).couplings[:, i])


def elastic_columns(model: Any) -> list[int]:
    """Positions in u of the rates of all elastic coordinates, in the order of q."""
    found = [link.elastic for link in model.mechanism.links if link.elastic is not None]
    return [c for elastic in sorted(found, key=lambda e: e.q) for c in elastic.columns]


def tree_rates(run: "Run") -> Array:
    """Rates u (n, nu) of everything."""

    def make() -> Array:
        done = run.model.function("tree_rates")(q=run.q, v=run.v, parameters=run.design)
        return done.outputs["u"]

    return run.cached("tree rates", make)


def _all_reactions(run: "Run") -> Any:
    def make() -> Any:
        forward = run.forward_dynamics()  # the motion that goes with these forces, whatever the integrator stored
        return run.model.joint_reactions(
            run.q,
            run.v,
            wrench=run.loads,
            tau=run.tau,
            vdot=forward.vdot,
            parameters=run.parameters,
            on_bad_state="mark",
        )

    return run.cached("reactions", make)


def _angles(run: "Run") -> Array:
    angles = coordinates_of(run.q, "rpy_zyx")[:, 3:]
    good = np.isfinite(angles).all(axis=1)
    angles[good] = np.unwrap(angles[good], axis=0)
    return angles


def _twist(run: "Run") -> Array:
    return run.model.twist(run.q, run.v, parameters=run.parameters, on_bad_state="mark")


def _frame_pose(run: "Run", frame: str) -> Array:
    position, rotation = run.model.frame_pose(run.q, frame, parameters=run.parameters, on_bad_state="mark")
    good = np.isfinite(position).all(axis=1)
    out = np.full((len(run), 7), np.nan)
    out[good] = pose_array((position[good], rotation[good])) if good.any() else out[good]
    turn_signs(out)
    return out


def _closure_error(run: "Run") -> Array:
    return run.model.closure_error(run.q, run.parameters)
