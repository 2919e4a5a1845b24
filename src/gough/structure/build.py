"""From a description (legs + platform) to its structure."""

from dataclasses import replace

import numpy as np

from gough.errors import StructureError
from gough.joints import ALL
from gough.robot import Robot
from gough.structure.axes import angles_of, internal_axes, triad
from gough.structure.layout import Layout
from gough.structure.mechanism import WORLD, CutJoint, Drive, Frame, Leg, Link, Mechanism, PointSpring
from gough.structure.parameters import ParameterTable

TEN = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")
PLACEMENT = ("x", "y", "z", "yaw", "pitch", "roll")
POSE_NAMES = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST_NAMES = ("vx", "vy", "vz", "wx", "wy", "wz")


def build_structure(robot: Robot) -> Mechanism:
    """The structure of `robot`."""
    return _Builder(robot).build()


class _Builder:
    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.table = ParameterTable()
        self.links: list[Link] = []
        self.legs: list[Leg] = []
        self.cuts: list[CutJoint] = []
        self.drives: list[Drive] = []
        self.frames: dict[str, Frame] = {}
        self.bodies: dict[str, int] = {}
        self.q_names: list[str] = list(POSE_NAMES)
        self.q_units = ["m"] * 3 + ["1"] * 4
        self.u_names: list[str] = list(TWIST_NAMES)

    def build(self) -> Mechanism:
        robot = self.robot
        gravity = self.table.add_all("gravity", "xyz", robot.gravity, "m/s2")
        self._platform()
        for number, leg in enumerate(robot.legs):
            self._leg(number, leg)
        springs = tuple(self._spring(s) for s in robot.springs)
        if not self.drives:
            raise StructureError(
                f"{robot.name}: no joint has a drive; add `drive: {{}}` to the actuated joint of each leg"
            )
        twice = sorted({name for name in self.q_names if self.q_names.count(name) > 1})
        if twice:
            raise StructureError(f"{robot.name}: two coordinates would be called {', '.join(twice)}; rename a joint")
        layout = Layout(
            q_names=tuple(self.q_names),
            q_units=tuple(self.q_units),
            v_names=TWIST_NAMES,
            v_units=("m/s",) * 3 + ("rad/s",) * 3,
            drive_names=tuple(d.name for d in self.drives),
            drive_units=tuple(d.unit for d in self.drives),
            u_names=tuple(self.u_names),
        )
        return Mechanism(
            robot.name,
            tuple(self.links),
            tuple(self.legs),
            tuple(self.cuts),
            tuple(self.drives),
            springs,
            self.frames,
            gravity,
            layout,
            self.table,
        )

    def _platform(self) -> None:
        body = self.robot.platform.body
        self.links.append(
            Link(
                name=body.name,
                joint="",
                parent=WORLD,
                leg=-1,
                motion="platform",
                axis=0,
                sign=1.0,
                q=0,
                nq=7,
                u=0,
                nu=6,
                placement=(),
                ten=self._ten(body.name, body, np.eye(3)),
                telescopic=None,
                friction=(),
                spring=None,
                rotor=None,
                drive=None,
                to_user=np.eye(3),
            )
        )
        self._body_frames(body.name, body, 0, np.eye(3))

    def _leg(self, number: int, leg) -> None:
        parent, parent_axes = WORLD, np.eye(3)
        before = (np.asarray(leg.base.rotation()), np.asarray(leg.base.position, dtype=float))
        first = len(self.links)
        telescopic = []
        for joint in leg.chain:
            parent, parent_axes = self._joint(number, leg, joint, parent, parent_axes, before, telescopic)
            before = (np.eye(3), np.zeros(3))
        if parent == WORLD:
            raise StructureError(f"{leg.name}: its chain is empty; give at least one joint with a body")
        for index, body, joint_name, axes in telescopic:
            self._telescopic(leg, index, body, joint_name, axes)
        self._cut(number, leg, parent, parent_axes)
        self.legs.append(Leg(leg.name, tuple(range(first, len(self.links))), len(self.cuts) - 1))

    def _joint(self, number, leg, joint, parent, parent_axes, before, telescopic) -> tuple[int, np.ndarray]:
        kind = ALL[joint.type]
        place = f"{leg.name}.{joint.name}"
        if kind.motions is None:
            raise StructureError(f"{place}: a {joint.type} joint cannot carry a body; use it as the leg's cut")
        stated = [joint.axis] if kind.axes == 1 else list(joint.axes) if kind.axes == 2 else []
        directions = triad([np.asarray(a, dtype=float) for a in stated])
        axes, principal = internal_axes(directions)
        rotation = before[0] @ np.asarray(joint.placement.rotation())
        position = before[1] + before[0] @ np.asarray(joint.placement.position, dtype=float)
        placement = self._placement(place, parent_axes.T @ rotation @ axes, parent_axes.T @ position)
        body = joint.body
        name = f"{leg.name}.{body.name}"
        motions = kind.motions or (None,)
        coordinate = 0
        for k, motion in enumerate(motions):
            last = k == len(motions) - 1
            if motion is None:
                moved, axis, sign, nq, nu = "fixed", 0, 1.0, 0, 0
            elif motion.kind == "ball":
                moved, axis, sign, nq, nu = "ball", 0, 1.0, 4, 3
            else:
                moved, nq, nu = motion.kind, 1, 1
                if motion.direction is not None:
                    axis, sign = int(np.argmax(np.abs(motion.direction))), 1.0
                else:
                    axis, sign = principal[motion.axis]
            q, u = len(self.q_names), len(self.u_names)
            for j in range(nq):
                c = kind.coordinates[coordinate + j]
                self.q_names.append(place + c.suffix)
                self.q_units.append(c.unit)
            for j in range(nu):
                suffix = kind.coordinates[coordinate].suffix if nu == 1 else "_w" + "xyz"[j]
                self.u_names.append(place + suffix)
            coordinate += nq
            link = Link(
                name=name if last else f"{place}#{k + 1}",
                joint=place,
                parent=parent,
                leg=number,
                motion=moved,
                axis=axis,
                sign=sign,
                q=q,
                nq=nq,
                u=u,
                nu=nu,
                placement=placement if k == 0 else (),
                ten=self._ten(name, body, axes) if last else None,
                telescopic=None,
                friction=self._friction(f"{place}.friction", joint.friction) if k == 0 else (),
                spring=self._joint_spring(place, joint.spring) if joint.spring else None,
                rotor=None,
                drive=None,
                to_user=axes,
            )
            if k > 0 and nu:
                link = replace(link, friction=self.links[-1].friction)
            if joint.drive is not None:
                link = self._drive(place, link, joint, len(self.links))
            self.links.append(link)
            parent = len(self.links) - 1
        if body.telescopic is not None:
            telescopic.append((parent, body, body.telescopic.joint, axes))
        self._body_frames(name, body, parent, axes)
        return parent, axes

    def _drive(self, place: str, link: Link, joint, index: int) -> Link:
        d = joint.drive
        unit = "N m" if link.motion == "rotation" else "N"
        self.drives.append(Drive(place, index, unit))
        inertia_unit = "kg m2" if link.motion == "rotation" else "kg"
        return replace(
            link,
            drive=len(self.drives) - 1,
            rotor=self.table.add(f"{place}.rotor_inertia", d.gear**2 * d.rotor_inertia, inertia_unit),
            friction=(*link.friction, *self._friction(f"{place}.drive.friction", d)),
        )

    def _cut(self, number: int, leg, tip: int, axes: np.ndarray) -> None:
        cut = leg.cut
        kind = ALL[cut.type]
        place = f"{leg.name}.{cut.name}"
        if kind.closures is None:
            raise StructureError(f"{place}: a {cut.type} joint owes no closure and cannot close a leg")
        if cut.type in ("prismatic", "cylindrical", "planar", "constant_length") and (
            cut.friction.viscous or cut.friction.coulomb
        ):
            raise StructureError(
                f"{place}: friction in a {cut.type} cut is not modelled; cut the leg at another joint and give this one "
                f"in the chain, where its friction counts"
            )
        if cut.type == "universal":
            on_leg, on_platform = _first_x(cut.axes[0]), _first_x(cut.axes[1])[:, [2, 0, 1]]
        else:
            turned = triad([np.asarray(cut.axis, dtype=float)])[:, [1, 2, 0]] if kind.axes == 1 else np.eye(3)
            on_leg = on_platform = turned
        leg_rotation = axes.T @ np.asarray(cut.on_leg.rotation()) @ on_leg
        leg_position = axes.T @ np.asarray(cut.on_leg.position, dtype=float)
        platform_rotation = np.asarray(leg.on_platform.rotation()) @ on_platform
        platform_position = np.asarray(leg.on_platform.position, dtype=float)
        self.cuts.append(
            CutJoint(
                name=place,
                leg=number,
                tip=tip,
                type=cut.type,
                closures=kind.closures,
                on_leg=self._placement(f"{place}.on_leg", leg_rotation, leg_position),
                on_platform=self._placement(f"{place}.on_platform", platform_rotation, platform_position),
                length=self.table.add(f"{place}.length", cut.length, "m") if cut.length is not None else None,
                friction=self._friction(f"{place}.friction", cut.friction),
                free_axes=kind.free_axes,
                tilt_axes=(tuple(map(float, on_leg[2])), tuple(map(float, on_platform[2]))),
            )
        )

    def _telescopic(self, leg, index: int, body, joint_name: str, axes: np.ndarray) -> None:
        place = f"{leg.name}.{joint_name}"
        source = next(i for i, link in enumerate(self.links) if link.joint == place and link.nu == 1)
        coefficients = [axes.T @ c @ axes for c in np.asarray(body.telescopic.coefficients())]
        entries = [c[i, j] for c in coefficients for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
        names = [f"{e}{k}" for k in range(3) for e in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")]
        unit = "kg m2/m^k" if self.links[source].motion == "translation" else "kg m2/rad^k"
        positions = self.table.add_all(f"{leg.name}.{body.name}.telescopic", names, entries, unit)
        self.links[index] = replace(self.links[index], telescopic=(source, positions))

    def _placement(self, name: str, rotation: np.ndarray, position: np.ndarray) -> tuple[int, ...]:
        clean = np.where(np.abs(position) < 1e-15, 0.0, position)
        lengths = self.table.add_all(name, PLACEMENT[:3], clean, "m")
        return (*lengths, *self.table.add_all(name, PLACEMENT[3:], angles_of(rotation), "rad"))

    def _ten(self, name: str, body, axes: np.ndarray) -> tuple[int, ...] | None:
        ten = np.asarray(body.ten_parameters(), dtype=float)
        if not ten.any():
            return None
        if not np.array_equal(axes, np.eye(3)):
            m, ms = ten[0], axes.T @ ten[1:4]
            xx, xy, xz, yy, yz, zz = ten[4:]
            j = axes.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes
            ten = np.array([m, *ms, j[0, 0], j[0, 1], j[0, 2], j[1, 1], j[1, 2], j[2, 2]])
        return tuple(
            self.table.add(f"{name}.{t}", v, "kg" if t == "M" else "kg m" if t[0] == "M" else "kg m2")
            for t, v in zip(TEN, ten, strict=True)
        )

    def _friction(self, name: str, friction) -> tuple[int, ...]:
        return self.table.add_all(
            name, ("viscous", "coulomb", "smoothing"), (friction.viscous, friction.coulomb, friction.smoothing), "SI"
        )

    def _joint_spring(self, place: str, spring) -> tuple[int, ...]:
        values = (spring.stiffness, spring.damping, spring.rest, spring.preload)
        return self.table.add_all(f"{place}.spring", ("stiffness", "damping", "rest", "preload"), values, "SI")

    def _spring(self, spring) -> PointSpring:
        ends = []
        for end, point in (("from", spring.from_), ("to", spring.to)):
            link = self._link_of(point.body)
            axes = self.links[link].to_user if link != WORLD else np.eye(3)
            position = axes.T @ np.asarray(point.position, dtype=float)
            ends.append((link, self.table.add_all(f"{spring.name}.{end}", "xyz", position, "m")))
        if ends[0][0] == ends[1][0]:
            raise StructureError(
                f"spring {spring.name}: both ends are on {spring.to.body}, where it can do nothing; tie it to two bodies"
            )
        values = (spring.stiffness, spring.damping, spring.rest_length, spring.preload)
        coefficients = self.table.add_all(spring.name, ("stiffness", "damping", "rest_length", "preload"), values, "SI")
        return PointSpring(spring.name, (ends[0][0], ends[1][0]), (ends[0][1], ends[1][1]), coefficients)

    def _link_of(self, body: str) -> int:
        if body == "world":
            return WORLD
        if body == self.links[0].name or body == "platform":
            return 0
        return self.bodies[body]

    def _body_frames(self, name: str, body, link: int, axes: np.ndarray) -> None:
        self.bodies[name] = link
        self.frames[name] = Frame(name, link, self._placement(f"{name}.frame", axes.T, np.zeros(3)))
        for key, pose in body.frames.items():
            label = key if link == 0 else f"{name}.{key}"
            if label in self.frames:
                raise StructureError(f"{name}: a frame cannot be called {key!r}, that is the body's own; rename it")
            rotation = axes.T @ np.asarray(pose.rotation())
            position = axes.T @ np.asarray(pose.position, dtype=float)
            self.frames[label] = Frame(label, link, self._placement(f"{name}.frames.{key}", rotation, position))


def _first_x(axis) -> np.ndarray:
    """Rotation whose x axis is `axis`."""
    return triad([np.asarray(axis, dtype=float)])
