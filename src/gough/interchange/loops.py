"""What a file beside a robot's file says: the loops that close it, and what else URDF has no words for.

Two kinds are read. Our own has keys of a description (`loops`, `couplings`, `drives`, `platform`, `idle`, `home`, …), with names
that the robot's file has. The other is the `robot.yaml` of LAAS [Gepetto, example-parallel-robots]: pairs of frames
(`closed_loop`) that coincide in their origins (`type` 3d) or altogether (6d), the driven joints (`name_mot`), and joints that
are of another type than URDF can say (`joint_name`, `joint_type`: SPHERICAL, FIXED, UJOINT_XY for turns about x, then y).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from gough.errors import GoughError
from gough.interchange.findings import Findings
from gough.interchange.foreign import (
    WORLD,
    Effects,
    ForeignCoupling,
    ForeignJoint,
    ForeignRobot,
    Placement,
    Written,
    followed_starts,
)
from gough.interchange.naming import FreeNames
from gough.joints import ALL
from gough.robot import Coupling
from gough.robot.checks.couplings import relation_faults
from gough.robot.checks.references import stated_faults
from gough.robot.checks.wildcards import expand_names, is_pattern
from gough.robot.closures import Loop, LoopEnd
from gough.robot.coordinates import rate_names
from gough.robot.errors import ABSENT, Problem
from gough.robot.fields import Gravity, PositiveLength
from gough.robot.item import FORMAT, Fault, Item, faults_of, nearest
from gough.robot.loader import locate, warn_of_angles
from gough.robot.pose import FORMS
from gough.robot.reader import Map, read, read_document
from gough.robot.robot import Configuration
from gough.text import exists, read_text

HOME = "home"
LAAS = "closed_loop"
"""The key by which a file of LAAS is known."""
BESIDE = ".loops.yaml"
PASSED_ON = ("angle", "friction", "limits", "source")
CLOSING = {"3d": "spherical", "6d": "fixed"}
TURNS = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def _listed(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class LoopsFile(Item):
    """Loops and what else belongs to a robot: in the words of a description, with the names of the robot's own file."""

    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    drives: Words | None = None
    platform: str | None = None
    home: Configuration = Field(default_factory=Configuration)
    gravity: Gravity | None = None
    velocities: Words | None = None
    idle: Words = ()
    drive_sharing: Literal["least_norm"] | None = None
    closure_tolerance: PositiveLength | None = None
    floating: bool = False


class LaasFile(Item):
    """Pairs of frames that loops tie, the driven joints, and joints of other types."""

    closed_loop: tuple[tuple[str, str], ...]
    type: tuple[str, ...] | None = None
    name_mot: tuple[str, ...] | None = None
    joint_name: tuple[str, ...] = ()
    joint_type: tuple[str, ...] = ()

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        """Lists that belong together have the same length."""
        for names, others in (("closed_loop", "type"), ("joint_name", "joint_type")):
            lengths = [len(x) if isinstance(x := data.get(key), list) else 0 for key in (names, others)]
            if lengths[0] != lengths[1] and data.get(others) is not None:
                message = f"{lengths[1]} entries for {lengths[0]} of {names}"
                yield Fault((others,), data[others], message, "one for each")


def loops_beside(path: Path, findings: Findings) -> Path | None:
    """The file of loops that lies beside a robot's file: NAME.loops.yaml, or NAME.yaml or robot.yaml of LAAS."""
    own = path.with_name(f"{path.stem}{BESIDE}")
    laas = [p for p in dict.fromkeys((path.with_suffix(".yaml"), path.with_name("robot.yaml"))) if _is_laas(p)]
    for found in ([own] if exists(own) else []) + laas:
        findings.remark(Written(str(path), None, ""), f"its loops are those of {found.name} beside it")
        return found
    return None


def _is_laas(path: Path) -> bool:
    try:
        return exists(path) and f"{LAAS}:" in read_text(path)
    except GoughError:
        return False


def add_loops(robot: ForeignRobot, file: Path, findings: Findings) -> ForeignRobot:
    """The robot with what a file of loops says."""
    document, problems = read(read_document(file), str(file))
    findings.problems += problems
    findings.tell_problems()
    if not isinstance(document, Map):
        keys = ", ".join(key for key in LoopsFile.written_keys() if key != "source")
        findings.refuse(Written(str(file), 1, ""), "not a mapping", f"keys {keys}, or {LAAS}")
        findings.tell_problems()
    adding = _LoopAdding(robot, str(file), document, findings)
    kind = LaasFile if LAAS in document else LoopsFile
    try:
        said = kind.model_validate(document, context={"reading": True, "format": FORMAT})
    except ValidationError as error:
        for fault in faults_of(error):
            mark, value = locate(document, fault.place)
            findings.problems.append(Problem(str(file), mark.line, mark.path, value, fault.message, fault.expected))
        adding.check_names()
        findings.tell_problems()
        raise AssertionError("faults are problems") from error
    warn_of_angles(document, str(file), {joint.name: joint.type for joint in robot.joints})
    made = adding.laas(said) if isinstance(said, LaasFile) else adding.own(said)
    findings.tell_problems()
    return made


class _LoopAdding:
    """A robot while a file of loops is added to it."""

    def __init__(self, robot: ForeignRobot, file: str, document: Map, findings: Findings) -> None:
        self.robot, self.file, self.document, self.findings = robot, file, document, findings
        self.bodies = {WORLD, *(body.name for body in robot.bodies)}
        self.joints = {joint.name: joint for joint in robot.joints}

    def refuse(self, place: tuple[int | str, ...], message: str, expected: str, value: Any = ABSENT) -> None:
        """Note a problem where it is written."""
        mark, _ = locate(self.document, place)
        self.findings.refuse(Written(self.file, mark.line, mark.path), message, expected, value)

    def written(self, *place: int | str) -> Written:
        mark, _ = locate(self.document, place)
        return Written(self.file, mark.line, mark.path)

    def check_names(self) -> None:
        """Refuse names that the robot has not, of a file that is wrong otherwise too."""
        loops = self.document.get("loops")
        for k, loop in enumerate(loops if isinstance(loops, list) else ()):
            for key in ("first", "second"):
                end = loop.get(key) if isinstance(loop, Mapping) else None
                body = end.get("body") if isinstance(end, Mapping) else None
                if isinstance(body, str):
                    self._known(body, self.bodies, ("loops", k, key, "body"), "link")
        if isinstance(platform := self.document.get("platform"), str):
            self._known(platform, self.bodies - {WORLD}, ("platform",), "link")
        if isinstance(drives := self.document.get("drives"), list) and all(isinstance(n, str) for n in drives):
            self._drive(drives, "drives")

    def laas(self, said: LaasFile) -> ForeignRobot:
        """See the head of this file."""
        for k, (name, kind) in enumerate(zip(said.joint_name, said.joint_type, strict=False)):
            if self._known(name, self.joints, ("joint_name", k), "joint"):
                changed = _retyped(self.joints[name], kind)
                if changed is None:
                    self.refuse(
                        ("joint_type", k), "not a type of joint", "SPHERICAL, FIXED, or UJOINT_XY and so on", kind
                    )
                else:
                    self.joints[name] = changed
        frames = {joint.name: joint.child for joint in self.joints.values() if not joint.closes}
        frames |= {name: name for name in self.bodies}
        kinds = said.type or ("6d",) * len(said.closed_loop)
        for k, ((first, second), kind) in enumerate(zip(said.closed_loop, kinds, strict=False)):
            known = [self._known(n, frames, ("closed_loop", k), "frame") for n in (first, second)]
            if kind.lower() not in CLOSING:
                self.refuse(("type", k), "not a type of loop", "3d (a ball) or 6d (fixed)", kind)
            elif all(known):
                name, at = _pair_name(first, second, self.joints), self.written("closed_loop", k)
                ends = frames[first], frames[second]
                if ends[0] == ends[1]:
                    self.refuse(("closed_loop", k), "a loop from a link to itself", "frames of two links")
                    continue
                self.joints[name] = ForeignJoint(name, CLOSING[kind.lower()], *ends, at, closes=True)
        if said.name_mot is not None:
            self._drive(said.name_mot, "name_mot")
        return replace(self.robot, joints=tuple(self.joints.values()))

    def own(self, said: LoopsFile) -> ForeignRobot:
        """In the words of a description."""
        for k, loop in enumerate(said.loops):
            self._loop(k, loop)
        couplings = [c for k, own in enumerate(said.couplings) if (c := self._coupling(k, own)) is not None]
        self._start(said.home)
        if said.drives is not None:
            self._drive(said.drives, "drives")
        if said.platform is not None:
            self._known(said.platform, self.bodies - {WORLD}, ("platform",), "link")
        velocities = said.velocities
        if velocities in (("platform",), ("drives",), ("any",)) and velocities[0] not in self.joints:
            velocities = velocities[0]
        return replace(
            self.robot,
            joints=tuple(self.joints.values()),
            couplings=(*self.robot.couplings, *couplings),
            drives_stated=said.drives is not None or self.robot.drives_stated,
            platform=said.platform if said.platform is not None else self.robot.platform,
            floating=said.floating or self.robot.floating,
            velocities=velocities if velocities is not None else self.robot.velocities,
            gravity=self.robot.gravity if said.gravity is None else said.gravity,
            closure_tolerance=said.closure_tolerance or self.robot.closure_tolerance,
            drive_sharing=said.drive_sharing or self.robot.drive_sharing,
            idle=self._idle(said.idle) or self.robot.idle,
        )

    def _loop(self, k: int, loop: Loop) -> None:
        raw = self.document["loops"][k]
        ends = {"first": loop.first, "second": loop.second}
        known = [self._known(end.body, self.bodies, ("loops", k, key, "body"), "link") for key, end in ends.items()]
        if loop.name in self.joints:
            self.refuse(("loops", k, "name"), f"the name {loop.name!r} is that of a joint", "another name")
        elif all(known):
            self.joints[loop.name] = ForeignJoint(
                loop.name,
                loop.type,
                loop.first.body,
                loop.second.body,
                self.written("loops", k),
                _placement(loop.first, raw["first"]),
                _placement(loop.second, raw["second"]),
                axis=loop.axis or (0.0, 0.0, 1.0),
                axes=loop.axes,
                lead=getattr(loop, "lead", None),
                length=loop.length,
                closes=True,
                words={key: raw[key] for key in PASSED_ON if raw.get(key) is not None},
            )

    def _coupling(self, k: int, said: Coupling) -> ForeignCoupling | None:
        scalar = {name for name, joint in self.joints.items() if ALL[joint.type].is_scalar and not joint.closes}
        if said.offset == HOME:
            self.refuse(("couplings", k, "offset"), "an offset from home", "a number", HOME)
            return None
        known = [self._known(t.coordinate, scalar, ("couplings", k), "joint") for t in said.terms]
        if not all(known) or self._refuse_faults(self._coupling_faults(k)):
            return None
        values = {term.coordinate: term.coefficient for term in said.terms}
        return ForeignCoupling(said.name, self.written("couplings", k), values, float(said.offset), said.joint)

    def _start(self, home: Configuration) -> None:
        if home.pose is not None:
            self.refuse(("home", "pose"), "a pose of the platform", "joints: the platform is where they put it")
        for name, values in home.joints.items():
            place = ("home", "joints", name)
            if not self._known(name, [n for n, j in self.joints.items() if not j.closes], place, "joint"):
                continue
            written = self.document["home"]["joints"][name]
            if not self._refuse_faults(stated_faults(name, written, place, self._types())):
                self.joints[name] = replace(self.joints[name], start=tuple(float(x) for x in values))

        stated = {name: joint.start[0] for name in home.joints if (joint := self.joints.get(name)) and joint.start}
        for name, value in followed_starts(self.robot.couplings, stated).items() if stated else ():
            self.joints[name] = replace(self.joints[name], start=(value,))

    def _coupling_faults(self, k: int) -> Iterator[Fault]:
        """Kinds of joints and units of offsets, as of a description."""
        return relation_faults({}, self.document["couplings"][k], ("couplings", k), self._types())

    def _types(self) -> dict[str, str]:
        return {name: joint.type for name, joint in self.joints.items() if not joint.closes}

    def _refuse_faults(self, faults: Iterator[Fault]) -> bool:
        """Whether there were any."""
        found = list(faults)
        for fault in found:
            self.refuse(fault.place, fault.message, fault.expected, fault.value)
        return bool(found)

    def _drive(self, names: Collection[str], key: str) -> None:
        """Make these the driven joints, and no others."""
        scalar = [n for n, j in self.joints.items() if ALL[j.type].is_scalar and not j.closes]
        driven: set[str] = set()
        for k, pattern in enumerate(names):
            found = [n for n in scalar if n == pattern] or [n for n in scalar if fnmatchcase(n, pattern)]
            driven.update(found)
            if not found:
                self._known(pattern, scalar, (key, k), "joint with one coordinate")
        self.joints = {n: replace(j, driven=n in driven) for n, j in self.joints.items()}

    def _idle(self, names: tuple[str, ...]) -> dict[str, Written]:
        """Rates that are said to be idle, patterns among them, and where."""
        known = [r for n, j in self.joints.items() if not j.closes for r in rate_names(n, j.type)]
        found: dict[str, Written] = {}
        for name, rates in expand_names(names, known).items():
            place = ("idle",) if isinstance(self.document.get("idle"), str) else ("idle", names.index(name))
            if not rates or (name not in known and not is_pattern(name)):
                self._known(name, known, place, "rate of a joint")
            found |= dict.fromkeys(rates, self.written(*place))
        return found

    def _known(self, name: str, known: Collection[str], place: tuple[int | str, ...], what: str) -> bool:
        if name in known:
            return True
        self.refuse(place, f"no {what} {name!r}", nearest(name, sorted(known)) or f"a {what}", name)
        return False


def _placement(end: LoopEnd, raw: Any) -> Placement:
    """The digits of its orientation are kept as they are written."""
    pose = raw.get("pose") if isinstance(raw, Mapping) else None
    words = {form: pose[form] for form in FORMS if pose.get(form) is not None} if isinstance(pose, Mapping) else {}
    position = tuple(float(x) for x in end.pose.position)
    return Placement(position, end.pose.rotation(), words or None)  # type: ignore[arg-type]


def _retyped(joint: ForeignJoint, kind: str) -> ForeignJoint | None:
    """A joint of another type than URDF can say, without the bounds of its one coordinate; None where there is no such type."""
    if kind == "FIXED":
        return replace(joint, type="fixed", effects=Effects())
    joint = replace(joint, effects=Effects(viscous=joint.effects.viscous, coulomb=joint.effects.coulomb))
    if kind == "SPHERICAL":
        return replace(joint, type="spherical")
    letters = kind.removeprefix("UJOINT_")
    if (
        kind.startswith("UJOINT_")
        and len(letters) == 2
        and letters[0] != letters[1]
        and all(c in TURNS for c in letters)
    ):
        return replace(joint, type="universal", axes=(TURNS[letters[0]], TURNS[letters[1]]))
    return None


def _pair_name(first: str, second: str, taken: Collection[str]) -> str:
    """What both names begin with, where that is something; else both."""
    common = "".join(
        a for k, (a, b) in enumerate(zip(first, second, strict=False)) if first[: k + 1] == second[: k + 1]
    )
    found = common.rstrip("_- ") if len(common) > 3 else f"{first}_{second}"
    return FreeNames(taken).take(found)
