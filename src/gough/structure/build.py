"""From a description (legs + platform, bodies + joints + loops, or both) to its structure."""

from dataclasses import replace

import numpy as np

from gough.errors import StructureError
from gough.frozen import FrozenDict
from gough.joints import ALL
from gough.joints.joint import JointDimension
from gough.joints.measure import ANGLE, LENGTH, Measure
from gough.joints.motions import NoMotion, PlatformMotion
from gough.robot import Robot
from gough.robot.coordinates import taken_names
from gough.robot.effects import each, frictions
from gough.robot.pose import are_perpendicular
from gough.robot.tree import PlacedJoint, placed_joints, placed_loops, platform_body, platform_joint
from gough.scalar import VariedNumber, array_of
from gough.structure._axes import internal_axes, triad
from gough.structure._couplings import make_couplings
from gough.structure._cutting import cut_frames, fixed_cut, is_inclined
from gough.structure._springs import add_spring
from gough.structure.elastic.bending import Bending
from gough.structure.elastic.bodies import compose_base, rigid_part
from gough.structure.layout import POSE_NAMES, POSE_UNITS, TWIST_NAMES, Layout
from gough.structure.mechanism import WORLD, CutJoint, DrivenLink, Frame, LegLinks, Link, PointSpring, Structure
from gough.structure.size import characteristic_length, row_tolerances, size_of_bodies

TEN = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")


def build_structure(robot: Robot) -> Structure:
    """The structure of `robot`."""
    return StructureBuilder(robot).build()


class StructureBuilder(Bending):
    """What a structure is made of, as it grows. by: a variable; constants of flexible bodies have slopes by it in the table."""

    def __init__(self, robot: Robot, by: str | None = None) -> None:
        super().__init__(robot, by)
        self.cuts: list[CutJoint] = []
        self.drives: list[DrivenLink] = []
        self.frames: dict[str, Frame] = {}
        self.bodies: dict[str, int] = {"world": WORLD}

    def build(self) -> Structure:
        """The structure."""
        robot = self.robot
        gravity = self.table.add_all("gravity", "xyz", robot.gravity, "m/s2")
        joints = placed_joints(robot)
        carried = self._platform(joints)
        if carried is None and self.platform is None:
            self._name_elastic()
        for joint in joints:
            if carried is None or joint.name != carried.name:
                self._joint(joint)
        for joint in joints:
            if joint.body.telescopic is not None:
                self._telescopic(joint)
        for loop in placed_loops(robot):
            self._cut(loop)
        if self.platform is not None and self.links[0].ten is None and self.bodies[self.platform] != 0:
            self._tie_platform()
        couplings = make_couplings(robot, self.links, self.q_names, self.table, sum(c.rows for c in self.cuts))
        springs = tuple(self._spring(s) for s in robot.springs)
        words = taken_names(self.q_names, self.platform is not None)
        own = self.q_names[7:] + self.u_names[6:] if self.platform is not None else self.q_names + self.u_names
        for name in own:  # those of elastic coordinates: joints were told with their place in the file
            if name in words:
                raise StructureError(f"{robot.name}: the coordinate {name!r} is {words[name]}; rename the body")
        twice = sorted({name for name in self.q_names if self.q_names.count(name) > 1})
        if twice:
            raise StructureError(
                f"{robot.name}: two coordinates would be called {', '.join(twice)}; rename a joint, "
                "or the labels in the file of a flexible body"
            )
        length = characteristic_length(robot) or size_of_bodies(self.links, self.table.values)
        allowed = robot.closure_tolerance
        return Structure(
            robot.name,
            tuple(self.links),
            self._legs(),
            tuple(self.cuts),
            tuple(self.drives),
            springs,
            FrozenDict(self.frames),
            gravity,
            self._layout(),
            self.table.finish(),
            length,
            () if allowed is None else row_tolerances((*self.cuts, *couplings), self.table.values, length, allowed),
            couplings,
        )

    def _layout(self) -> Layout:
        return Layout(
            q_names=tuple(self.q_names),
            q_units=tuple(self.q_units),
            v_names=(),
            v_units=(),
            drive_names=tuple(d.name for d in self.drives),
            drive_units=tuple(d.unit for d in self.drives),
            u_names=tuple(self.u_names),
            u_units=tuple(self.u_units),
            n_pose=7 if self.platform is not None else 0,
            n_elastic=sum(body.modes for body in self.elastic.values()),
        )

    def _legs(self) -> tuple[LegLinks, ...]:
        legs = []
        for k, leg in enumerate(self.robot.legs):
            links = tuple(i for i, link in enumerate(self.links) if link.leg == k)
            legs.append(LegLinks(leg.name, links, tuple(i for i, cut in enumerate(self.cuts) if cut.leg == k)))
        return tuple(legs)

    def _platform(self, joints: tuple[PlacedJoint, ...]) -> PlacedJoint | None:
        """Link 0. Returns the joint that it replaces: a free one between the world and the platform's body."""
        if self.platform is None:
            return None
        replaced = platform_joint(self.robot)
        own = replaced is not None or not any(j.body_name == self.platform for j in joints)
        body = platform_body(self.robot)
        assert body is not None
        self.q_names += POSE_NAMES
        self.q_units += POSE_UNITS
        self.u_names += TWIST_NAMES
        self.u_units += ["m/s"] * 3 + ["rad/s"] * 3
        self._name_elastic()
        self.links.append(
            Link(
                name=self.platform,
                joint="",
                parent=WORLD,
                leg=-1,
                motion=PlatformMotion(),
                q=0,
                u=0,
                placement=(),
                ten=self._ten(self.platform, body, np.eye(3)) if own else None,
                telescopic=None,
                friction=(),
                spring=None,
                rotors=(),
                drive=None,
                to_user=np.eye(3),
                weight_share=self._weight_share(self.platform, body) if own else None,
            )
        )
        if own:
            self._bend(self.platform, 0, np.eye(3))
            self._body_frames(self.platform, body, 0, np.eye(3))
        return replaced

    def _tie_platform(self) -> None:
        """The platform is a body that the tree carries: link 0 follows it, tied by a fixed cut."""
        assert self.platform is not None
        link = self.bodies[self.platform]
        axes = self.links[link].to_user
        name = f"{self.platform}.platform"
        on_first = self._placement(f"{name}.first", axes.T, np.zeros(3))
        on_second = self._placement(f"{name}.second", np.eye(3), np.zeros(3))
        friction = self.table.add_friction(name, (0.0, 0.0, 0.0), ANGLE.friction)
        self.cuts.append(fixed_cut(name, link, 0, on_first, on_second, friction, sum(c.rows for c in self.cuts)))

    def _joint(self, placed: PlacedJoint) -> None:
        joint, place = placed.joint, placed.name
        kind = ALL[joint.type]
        if kind.motions is None:
            raise StructureError(f"{place}: a {joint.type} joint cannot carry a body; use it as a cut")
        parent = self.bodies[placed.parent]
        parent_axes = self.links[parent].to_user if parent != WORLD else np.eye(3)
        stated = [joint.axis] if kind.axes == 1 else list(joint.axes or ()) if kind.axes == 2 else []
        skewed = kind.axes == 2 and not are_perpendicular(stated)
        directions = triad([np.asarray(a, dtype=float) for a in (stated[:1] if skewed else stated)])
        axes, principal = internal_axes(directions)
        rotation, position = compose_base(placed.base, joint.placement)
        parent, local = self._tie_point(parent, parent_axes.T @ position, position)
        factors = (parent_axes.T, placed.base, joint.placement, axes)
        placement = self._placement(place, parent_axes.T @ rotation @ axes, local, factors)
        body, name = placed.body, placed.body_name
        dimensions = self._dimensions(place, kind.dimensions, joint)
        share = self._weight_share(name, body)
        motions = kind.motions or (NoMotion(),)
        shared = not isinstance(joint.friction, tuple)
        springs, armatures = each(joint.spring, len(motions)), each(joint.armature, len(motions))
        coordinate = 0
        for k, motion in enumerate(motions):
            last = k == len(motions) - 1
            q, u = len(self.q_names), len(self.u_names)
            own = kind.coordinates[coordinate : coordinate + motion.nq]
            coordinate += motion.nq
            self.q_names += [place + c.suffix for c in own]
            self.q_units += [c.unit for c in own]
            self.u_names += [place + suffix for suffix in motion.rate_suffixes or [c.suffix for c in own]]
            self.u_units += [motion.measure.rate] * motion.nu
            if skewed and k == 1:  # the second axis has axes of its own, turned in those of the first
                before = axes
                axes, turned = internal_axes(triad([np.asarray(stated[1], dtype=float)]))
                principal = [turned[0]] * 3
                placement = self._placement(f"{place}.second", before.T @ axes, np.zeros(3))
            ten = self._ten(name, body, axes) if last else None
            each_name = place + (kind.freedom_suffixes[k] if len(kind.moving) > 1 else "")
            friction = self.links[-1].friction if k > 0 and shared and motion.nu else ()
            if (k == 0 or not shared) and (motion.nu or k == 0):
                measures = kind.measures if shared else (motion.measure,)
                friction = self._friction(
                    place if shared else each_name, each(frictions(joint), len(motions))[k], *measures
                )
            link = Link(
                name=name if last else f"{place}#{k + 1}",
                joint=place,
                parent=parent,
                leg=placed.leg,
                motion=motion.along(principal),
                q=q,
                u=u,
                placement=placement if k == 0 or skewed else (),
                ten=ten,
                telescopic=None,
                friction=friction,
                spring=None,
                rotors=(),
                drive=None,
                to_user=axes,
                dimensions=dimensions,
                weight_share=share,
            )
            if motion.nu:
                link = self._own_effects(each_name, link, springs[k], armatures[k])
            if joint.drive is not None:
                link = self._drive(place, link, joint, len(self.links))
            self.links.append(link)
            parent = len(self.links) - 1
        self._bend(name, parent, axes)
        self._body_frames(name, body, parent, axes)

    def _drive(self, place: str, link: Link, joint, index: int) -> Link:
        d = joint.drive
        measure = link.motion.measure
        weight = self.table.add(f"{place}.weight", d.weight, "1") if d.weight is not None else None
        self.drives.append(DrivenLink(place, index, measure.force, weight))
        inertia_unit = measure.inertia
        if d.gear != 1.0:
            inertia_unit += f" at the joint: gear^2 = {d.gear**2:.6g} is in it"
        return replace(
            link,
            drive=len(self.drives) - 1,
            rotors=(
                *link.rotors,
                self.table.add(f"{place}.rotor_inertia", d.gear**2 * d.rotor_inertia, inertia_unit),
            ),
            friction=(*link.friction, *self._friction(f"{place}.drive", d, measure)),
        )

    def _cut(self, loop) -> None:
        first, second = self.bodies[loop.first], self.bodies[loop.second]
        sides = ("on_leg", "on_platform") if loop.leg >= 0 and second == 0 and self.platform else ("first", "second")
        frames, closures, free_axes, tilt_axes = cut_frames(loop)
        placements, links = [], []
        rubs = any(f.acts for f in frictions(loop))
        turns = rubs or loop.limits.cone is not None or any(c.sees_axes for c in closures)
        for side, link, base, pose, frame in (
            (sides[0], first, loop.first_base, loop.first_pose, frames[0]),
            (sides[1], second, loop.second_base, loop.second_pose, frames[1]),
        ):
            axes = self.links[link].to_user if link != WORLD else np.eye(3)
            rotation, position = compose_base(base, pose)
            link, local = self._tie_point(link, axes.T @ position, position, turns)
            links.append(link)
            factors, turn = (axes.T, base, pose, frame), axes.T @ rotation @ frame
            placements.append(self._placement(f"{loop.name}.{side}", turn, local, factors))
        self.cuts.append(
            CutJoint(
                name=loop.name,
                leg=loop.leg,
                first=links[0],
                second=links[1],
                type=loop.type,
                closures=closures,
                on_first=placements[0],
                on_second=placements[1],
                length=self.table.add(f"{loop.name}.length", loop.length, "m") if loop.length is not None else None,
                angle=self.table.add(f"{loop.name}.angle", loop.angle, "rad") if is_inclined(loop) else None,
                friction=self._cut_friction(loop),
                free_axes=free_axes,
                tilt_axes=tilt_axes,
                row=sum(c.rows for c in self.cuts),
            )
        )

    def _telescopic(self, placed: PlacedJoint) -> None:
        body, index = placed.body, self.bodies[placed.body_name]
        axes = self.links[index].to_user
        leg = f"{self.robot.legs[placed.leg].name}." if placed.leg >= 0 else ""
        assert body.telescopic is not None
        place = f"{leg}{body.telescopic.joint}"
        source = next(i for i, link in enumerate(self.links) if link.joint == place and link.nu == 1)
        coefficients = [axes.T @ c @ axes for c in body.telescopic.varied_coefficients()]
        entries = [c[i, j] for c in coefficients for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
        names = [f"{e}{k}" for k in range(3) for e in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")]
        unit = f"kg m2/{self.links[source].motion.measure.unit}^k"
        positions = self.table.add_all(f"{placed.body_name}.telescopic", names, entries, unit)
        self.links[index] = replace(self.links[index], telescopic=(source, positions))

    def _ten(self, name: str, body, axes: np.ndarray) -> tuple[int, ...] | None:
        flexible = self.elastic.get(name)
        if flexible is not None and (np.any(body.ten_parameters()) or body.telescopic is not None):
            raise StructureError(
                f"{name}: a flexible body has its mass from its shape; leave out mass, inertia, payload and telescopic, and fix "
                f"another body to it for what it carries"
            )
        ten = array_of(body.varied_parameters() if flexible is None else rigid_part(flexible))
        if not ten.any():
            return None
        if not np.array_equal(axes, np.eye(3)):
            m, ms = ten[0], axes.T @ ten[1:4]
            xx, xy, xz, yy, yz, zz = ten[4:]
            j = axes.T @ array_of([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes
            ten = array_of([m, *ms, j[0, 0], j[0, 1], j[0, 2], j[1, 1], j[1, 2], j[2, 2]])
        return tuple(
            self.table.add(
                f"{name}.{t}", v, "kg" if t == "M" else "kg m" if t[0] == "M" else "kg m2", "mass" * (t == "M")
            )
            for t, v in zip(TEN, ten, strict=True)
        )

    def _weight_share(self, name: str, body) -> int | None:
        """Position of the share of a body's weight that acts; None of a plain 1, which is structure."""
        share = body.weight_share
        if share == 1.0 and not isinstance(share, VariedNumber):
            return None
        return self.table.add(f"{name}.weight_share", share, "1")

    def _dimensions(self, name: str, known: tuple[JointDimension, ...], joint) -> tuple[int, ...]:
        return tuple(self.table.add(f"{name}.{d.key}", getattr(joint, d.key), d.unit) for d in known)

    def _friction(self, name: str, friction, *measures: Measure) -> tuple[int, ...]:
        """measures: of the rates it acts on; a cylinder's turns and slides share the numbers. None: it turns."""
        units = [" or ".join(words) for words in zip(*(m.friction for m in measures or (ANGLE,)), strict=True)]
        values = (friction.viscous, friction.coulomb, friction.smoothing)
        return self.table.add_friction(name, values, units)

    def _cut_friction(self, loop) -> tuple[int, ...]:
        """Of all its free axes together, or one after the other."""
        kind = ALL[loop.type]
        if not isinstance(loop.friction, tuple):
            return self._friction(loop.name, loop.friction, *kind.measures)
        names = [loop.name + suffix for suffix in kind.freedom_suffixes]
        each_one = zip(names, frictions(loop), kind.moving, strict=True)
        return tuple(i for name, friction, moved in each_one for i in self._friction(name, friction, moved.measure))

    def _own_effects(self, place: str, link: Link, spring, armature: float | None) -> Link:
        """A link with its spring and its joint's armature."""
        measure = link.motion.measure
        if spring is not None and link.is_ball:
            names = ("stiffness", "damping", "rest_qw", "rest_qx", "rest_qy", "rest_qz")
            values = (spring.stiffness, spring.damping, *(spring.rest_quaternion_wxyz or (1.0, 0.0, 0.0, 0.0)))
            units = (*measure.spring[:2], *["1"] * 4)
            link = replace(link, spring=self.table.add_all(f"{place}.spring", names, values, units))
        elif spring is not None:
            coefficients, law = add_spring(self.table, f"{place}.spring", spring, "rest", measure)
            link = replace(link, spring=coefficients, law=law)
        if armature:
            link = replace(link, rotors=(self.table.add(f"{place}.armature", armature, measure.inertia),))
        return link

    def _spring(self, spring) -> PointSpring:
        ends = []
        for end, point in (("from", spring.from_), ("to", spring.to)):
            link = self._link_of(point.body)
            axes = self.links[link].to_user if link != WORLD else np.eye(3)
            user = array_of(point.position)
            link, position = self._tie_point(link, axes.T @ user, user, turns=False)
            ends.append((link, self.table.add_all(f"{spring.name}.{end}", "xyz", position, "m")))
        if ends[0][0] == ends[1][0]:
            raise StructureError(
                f"spring {spring.name}: both ends are on {spring.to.body}, where it can do nothing; tie it to two bodies"
            )
        coefficients, law = add_spring(self.table, spring.name, spring, "rest_length", LENGTH)
        links, points = zip(*ends, strict=True)
        passing = self.table.add(f"{spring.name}.clearance", spring.clearance, "m") if spring.clearance else None
        return PointSpring(spring.name, links, points, coefficients, law, passing)

    def _link_of(self, body: str) -> int:
        return self.bodies["platform" if body == "platform" and "platform" in self.bodies else body]

    def _body_frames(self, name: str, body, link: int, axes: np.ndarray) -> None:
        self.bodies[name] = link
        if name == self.platform:
            self.bodies.setdefault("platform", link)
        self.frames[name] = Frame(name, link, self._placement(f"{name}.frame", axes.T, np.zeros(3)))
        for key, pose in body.frames.items():
            label = key if name == self.platform else f"{name}.{key}"
            if label in self.frames:
                raise StructureError(f"{name}: a frame cannot be called {key!r}, that is the body's own; rename it")
            rotation, user = axes.T @ pose.varied_rotation(), array_of(pose.position)
            tied, position = self._tie_point(link, axes.T @ user, user)
            placement = self._placement(f"{name}.frames.{key}", rotation, position, (axes.T, pose))
            self.frames[label] = Frame(label, tied, placement)
