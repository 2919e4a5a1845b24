"""Exceptions, warnings and the status codes of single states; any layer may use them, they use none."""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any


class Status(IntEnum):
    """What is known about one state after an evaluation; 0 is good, every other value names the trouble."""

    OK = 0
    NOT_FINITE = 1
    BAD_QUATERNION = 2
    OUT_OF_REACH = 3
    FOLDED = 4
    SINGULAR = 5
    NOT_CONVERGED = 6
    RESIDUAL = 7
    OPEN_LOOP = 8
    LARGE_DEFLECTION = 9
    CROSSED = 10
    STEP = 11
    STICKING = 12
    ANGLE = 13
    ENDED = 14
    DESIGN = 15

    def at(self, place: str, site: "Site | None" = None) -> "Failure":
        """This trouble at a place: `Status.FOLDED.at("leg1")`, `Status.SINGULAR.at(Site.DRIVES)`. site: what the place is, where
        its words are not those of a site itself."""
        known = place if isinstance(place, Site) else Site.NAMED
        return Failure(self, str(place), known if site is None else site)


class Site(StrEnum):
    """What kind of thing the place of a failure is. Code asks for the site; the words of a place are for people."""

    NAMED = ""
    """Something of the robot, by its name: a leg, a joint, a velocity."""
    DRIVES = "drives"
    MASS_MATRIX = "mass matrix"
    STIFFNESS = "stiffness"
    SPRING = "spring"
    TURNED = "turned joint"
    """A joint that is put in turned."""
    NEWTON = "Newton"
    NEWTON_MATRIX = "Newton matrix"
    STATE = "state"
    MORE_STEPS = "most_steps"
    STEP_SIZE = "too small"
    CONTROLLER = "controller"
    NO_INERTIA = "no inertia"
    """A velocity that moves nothing with inertia."""
    CONTRADICTION = "contradiction"
    """A closure that says the same as others in the robot's own design, and something else in this one."""
    LOCKS = "locks"
    """What geometry keeps from moving: the state is for the equations that do not rely on it."""


EXPLANATION = {
    Status.OK: "good",
    Status.NOT_FINITE: "an input or a result is NaN or infinite",
    Status.BAD_QUATERNION: "a quaternion (qw qx qy qz) is not of unit length to 1e-6; normalise it",
    Status.OUT_OF_REACH: "a leg cannot reach its platform point, or the platform has no freedom for this pose; move towards home",
    Status.FOLDED: "a leg or loop is singular: v does not determine its joints (a universal joint folded onto its leg, …)",
    Status.SINGULAR: "the drives cannot hold the robot (parallel singularity), or nothing there has inertia; move the pose",
    Status.NOT_CONVERGED: "Newton's iteration did not converge: the target may be out of reach; else start nearer (near=)",
    Status.RESIDUAL: "the solution's residual is too large (ill-conditioned state)",
    Status.OPEN_LOOP: "the loops are not closed at this q; make it with model.configuration or model.project",
    Status.LARGE_DEFLECTION: "a flexible body is bent by more than 1.5 rad; its shapes are made for small deflections",
    Status.CROSSED: "good; just before it a run went through an isolated singularity",
    Status.STEP: "no step of a run passes the test of its error",
    Status.STICKING: "a joint with Coulomb friction reverses at every step of a run",
    Status.ANGLE: "an angle is too large for its sine to mean anything; only exported code says so",
    Status.ENDED: "no failure of the robot: a run was interrupted, or its controller's own function failed",
    Status.DESIGN: "with these variables a number of the design is outside its bounds (a negative mass, …)",
}


@dataclass(frozen=True)
class Failure:
    """What is wrong with a state, and where ("leg3", "drives", …); its text is "singular:drives". GOOD is false.

    site: what the place is; failures that read alike are equal.
    """

    status: Status
    place: str
    site: Site = field(default=Site.NAMED, compare=False)

    def __bool__(self) -> bool:
        return self.status != Status.OK

    def __str__(self) -> str:
        return f"{self.status.name.lower()}:{self.place}" if self else ""

    @classmethod
    def parse(cls, text: str) -> "Failure":
        """The failure that begins a text such as "folded:leg1, …"; GOOD where none does."""
        word, colon, place = text.partition(":")
        known = Status.__members__.get(word.upper()) if colon and word.islower() else None
        if known is None:
            return GOOD
        return known.at(next((site for site in Site if site == place), place))


GOOD = Failure(Status.OK, "")


class GoughError(Exception):
    """Root of the library's own exceptions: no public call raises any other for its arguments.

    Each is a builtin exception too: bad arguments, descriptions and structures are ValueErrors, problems of files OSErrors, bad
    states ArithmeticErrors, clusters that fail RuntimeErrors.
    """


class StructureError(GoughError, ValueError):
    """The mechanism as described cannot be modelled (open legs, wrong number of drives, …)."""


class UsageError(GoughError, ValueError):
    """A call with arguments that cannot be right (shape, name, option); the message says what to do."""


class ArgumentError(UsageError, TypeError):
    """A call with an argument that it does not have, or with too few or too many of them."""


class BadDataError(UsageError):
    """Measurements that cannot be used as they are; `problems` lists all of them, each with its place and its remedy."""

    def __init__(self, message: str, problems: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.problems)


class FileError(UsageError, OSError):
    """A file that cannot be written or read: full disk, no permission, damage; the message names it."""


class UnreadableFileError(FileError):
    """A file that cannot be read: a folder or a device, too large, another encoding, …; `reason` and `line` say why and where."""

    def __init__(self, path: Any, reason: str, line: int | None = None) -> None:
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + reason)
        self.path, self.reason, self.line = path, reason, line

    def __reduce__(self):
        return (type(self), (self.path, self.reason, self.line))


class MissingFileError(UnreadableFileError, FileNotFoundError):
    """There is no such file."""


class ClusterError(GoughError, RuntimeError):
    """Work on a cluster that came to no end: a chunk that failed again and again, a scheduler that is gone for too long."""


class PatternError(UsageError):
    """Parameters that break the structural zeros a program was compiled with."""


class BadStateError(GoughError, ArithmeticError):
    """At least one state of a call is bad; `result` holds all results (NaN rows for bad states) and statuses, or None where a
    call takes no on_bad_state.

    Its text is made when it is first asked for: a loop that meets bad states and goes on does not pay for words. call: the name
    of the call, where the message begins with it; report: the rest, as text or as what makes it.
    """

    def __init__(self, message: str, result: Any = None, report: str | Callable[[], str] = "", call: str = "") -> None:
        super().__init__(message)
        self.result = result
        self.call = call
        self._message, self._report = message, report

    @property
    def report(self) -> str:
        """The message without the name of the call."""
        if not isinstance(self._report, str):
            self._report = self._report()
        return self._report

    def __str__(self) -> str:
        return f"{self.call}: {self.report}" if self.call else self._message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.result, self.report, self.call)


def warn(text: str, category: type[Warning]) -> None:
    """A warning at the line outside this library that led to it, so that it is shown there, and once."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in ("gough", "pydantic"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def warn_deprecated(text: str, leaves: str) -> None:
    """A `DeprecationWarning` of what still works: text says what to write instead, leaves the version that drops it, "0.3".

    What is public works for one version beside its successor (docs/promises.md); a test finds what should have left.
    """
    warn(f"{text}; the old way leaves with gough {leaves}", DeprecationWarning)


class SingularHomeWarning(UserWarning):
    """The home configuration is (close to) singular."""


class HomeWarning(UserWarning):
    """The home configuration is not quite what the description says: moved to close the loops, or outside limits."""


class IdleWarning(UserWarning):
    """Freedoms that no drive moves and no closure fixes, which the description does not name as meant."""


class StructureWarning(UserWarning):
    """A mechanism that may not be the one that was meant: more drives than freedoms in another program's file, …"""


class UnitWarning(UserWarning):
    """A number without a unit that can hardly be meant in the unit it is read in: an angle of 30 rad, say."""


class VariableWarning(UserWarning):
    """Another value of a variable that moves nothing where it was given: limits or home alone follow it. Or numbers that no
    longer follow a variable."""


class ReductionWarning(UserWarning):
    """A flexible body is not quite what was asked for: a degenerate pair kept whole, coordinates without mass, …"""


class ModalDataWarning(UserWarning):
    """Modal data or matrices from a file that look wrong: units, normalisation, a mass that differs from the stated one."""


class RepeatedModesWarning(UserWarning):
    """Natural frequencies that are equal: they have no derivatives of their own, and those given are of their mean."""


class RunWarning(UserWarning):
    """A simulation that may not be what was meant: limits exceeded, a start out of equilibrium, a step too long, …"""


class ExportWarning(UserWarning):
    """An export that lacks something: the binary of an FMU where there is no C compiler."""


class CacheWarning(UserWarning):
    """A folder or file of compiled code that others could have written: it is not used."""


class FrictionWarning(UserWarning):
    """A linear model whose damping is the slope of smoothed Coulomb friction."""


class IdentificationWarning(UserWarning):
    """Identified numbers that may not be what they seem: data that tell little, a wrong sign, a drive at its limit, …"""


class RankWarning(UserWarning):
    """A number of parameters that motions tell which is in doubt: singular values fall without a clear gap."""


class DataWarning(UserWarning):
    """Measurements that were used and may not be what was meant: forces of the wrong sign or size, many outliers, …"""


class CalibrationWarning(UserWarning):
    """A calibration that may not be what was meant: poses that do not fit, directions that measurements do not tell, …"""


class MeshWarning(UserWarning):
    """A mesh file that is read in part, or whose size or mass no robot has."""
