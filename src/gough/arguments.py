"""Checks of arguments at the door of every public call, so that what is wrong is named there and not felt deep inside.

    @checked(q=numbers, frame=word, threads=whole(1))
    def frame_pose(self, q, frame, threads=None): ...

A `Kind` takes a value (and may make it plain: lists become arrays, np.int64 becomes int) or refuses it; the call then ends in a
UsageError with the call, the argument, its value and what is expected. None passes where it is the default. Shapes, names that
must exist and numbers that belong together are the call's own business. Problems of files end in a FileError.
"""

import functools
import inspect
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import Any, ParamSpec, Self, TypeVar

import numpy as np

from gough.errors import ArgumentError, GoughError, MissingFileError, UnreadableFileError, UsageError

P = ParamSpec("P")
R = TypeVar("R")

LONGEST = 60
"""Characters of a value that a message shows."""
MANY = 10**9
"""The largest count that can be meant."""


@dataclass(frozen=True)
class Kind:
    """What an argument is: in words, and as a function that returns the value or raises anything where it is none."""

    expected: str
    take: Callable[[Any], Any]

    def __or__(self, other: "Kind") -> "Kind":
        def take(value: Any) -> Any:
            try:
                return self.take(value)
            except Exception:
                return other.take(value)

        return Kind(f"{self.expected}, or {other.expected}", take)


def checked(**kinds: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A call whose named arguments are of these kinds."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        known = inspect.signature(function).parameters
        open_ended = any(p.kind == p.VAR_KEYWORD for p in known.values())
        unknown = [n for n in kinds if n not in known and not open_ended]
        assert not unknown, f"{function.__qualname__} has no {unknown}"
        rest = next((p.name for p in known.values() if p.kind == p.VAR_POSITIONAL), None)
        places = [p.name for p in known.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        rules = [kinds.get(name) for name in places]
        optional = {n for n in kinds if n not in known or known[n].default is None}
        name = function.__qualname__.removesuffix(".__init__").removesuffix(".__call__").rsplit(">.", 1)[-1]
        call = name.rsplit(".", 1)[-1] if name.rsplit(".", 1)[0].endswith("Calls") else name
        files = any(kind in (path, folder, picture) for kind in kinds.values())

        @functools.wraps(function)
        def guarded(*args: P.args, **named: P.kwargs) -> R:
            taken: list[Any] = list(args)
            for i, value in enumerate(args):
                kind = rules[i] if i < len(places) else kinds.get(rest or "")
                if kind is not None and (value is not None or places[min(i, len(places) - 1)] not in optional):
                    taken[i] = _take(call, places[i] if i < len(places) else str(rest), kind, value)
            given: dict[str, Any] = dict(named)
            for key, value in named.items():
                kind = kinds.get(key)
                if kind is not None and (value is not None or key not in optional):
                    given[key] = _take(call, key, kind, value)
            try:
                return function(*taken, **given)  # pyright: ignore[reportCallIssue]
            except TypeError:
                wrong = _wrong_arguments(function, taken, given)
                if not wrong:
                    raise
                raise ArgumentError(f"{call}: {wrong}") from None
            except OSError as problem:
                if not files:
                    raise
                if isinstance(problem, GoughError):
                    raise
                kind_of = MissingFileError if isinstance(problem, FileNotFoundError) else UnreadableFileError
                plain = f"{call}: {problem.filename}: {problem.strerror}" if problem.filename else str(problem)
                raise kind_of(None, plain) from None

        return guarded

    return wrap


def _wrong_arguments(function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> str:
    """What is wrong with the names and the number of arguments; "" where nothing is."""
    signature = inspect.signature(function)
    known = signature.parameters
    strange = [key for key in named if key not in known]
    if strange and not any(p.kind == p.VAR_KEYWORD for p in known.values()):
        return _unknown_argument(strange[0], [name for name in known if name != "self"])
    try:
        signature.bind(*args, **named)
    except TypeError as problem:
        return str(problem)
    return ""


def _unknown_argument(name: str, known: list[str]) -> str:
    """What to say of an argument that a call does not have."""
    if name == "variables" and "parameters" in known:
        return "no argument variables=; give parameters=model.parameters_with(variables={…})"
    near = [other for other in known if name in other.split("_") or other in name.split("_")]
    near = near or get_close_matches(name, known, 1)
    return f"no argument {name}=" + (f"; did you mean {near[0]}=?" if near else "")


class KnownArguments:
    """A class whose constructor says which argument may have been meant by a name that it does not have."""

    def __new__(cls, *args: Any, **named: Any) -> Self:
        """An instance, not filled in yet."""
        known = inspect.signature(cls.__init__).parameters
        strange = [key for key in named if key not in known]
        if strange and not any(p.kind == p.VAR_KEYWORD for p in known.values()):
            raise ArgumentError(f"{cls.__name__}: {_unknown_argument(strange[0], [x for x in known if x != 'self'])}")
        return super().__new__(cls)


def take(name: str, kind: Kind, value: Any) -> Any:
    """The value of an argument that a call looks at only later."""
    return _take("", name, kind, value)


def floats(name: str, value: Any) -> np.ndarray:
    """A new array of real numbers; UsageError for texts, functions, ragged lists, complex or endless numbers."""
    return np.array(take(name, numbers, value), dtype=float)


def is_number(value: Any) -> bool:
    """Whether it is a finite real number (no text, no truth)."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:  # a whole number of hundreds of digits
        return False


def demand_one_of(name: str, value: Any, known: Sequence[str]) -> None:
    """UsageError for another word than there is."""
    if value not in known:
        raise UsageError(f"{name}={value!r}; use one of {', '.join(map(repr, known))}")


def _take(call: str, name: str, kind: Kind, value: Any) -> Any:
    try:
        return kind.take(value)
    except GoughError:
        raise
    except Exception as problem:
        why = f" ({problem})" if isinstance(problem, _Reason) else ""
        place = f"{call}: {name}" if call else name
        raise UsageError(f"{place}={show_value(value)}{why}; expected {kind.expected}") from None


class _Reason(Exception):
    """What is wrong with a value, for people."""


def show_value(value: Any) -> str:
    """A value in a message: short, whatever it is."""
    try:
        if isinstance(value, np.ndarray) and (value.size > 4 or value.dtype.kind not in "fiu"):
            return f"<array {value.shape} of {value.dtype}>"
        if isinstance(value, int) and abs(value) > 10**40:
            return f"<an integer of {value.bit_length()} bits>"
        if isinstance(value, str | bytes | list | tuple | dict | set | frozenset) and len(value) > LONGEST:
            return f"<{type(value).__name__} of {len(value)}>"
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _numbers(value: Any) -> Any:
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    if hasattr(value, "__cuda_array_interface__"):
        return value
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise _Reason("entries are masked")
        value = value.data
    x = np.asarray(value)
    if x.dtype.kind == "c":
        raise _Reason("complex numbers")
    if x.dtype == object:
        if not all(isinstance(entry, Real) or hasattr(entry, "as_tuple") for entry in x.flat):
            raise _Reason("not all entries are numbers, or rows differ in length")
        x = x.astype(float)
    if x.dtype.kind not in "fiub":
        raise _Reason("not numbers")
    return x.astype(float)


def _number(value: Any) -> float:
    if isinstance(value, bool | np.bool_ | str | bytes):
        raise TypeError(value)
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(value)
    x = float(_numbers(value))
    if not math.isfinite(x):
        raise ValueError(x)
    return x


def number(least: float | None = None, above: float | None = None, most: float | None = None) -> Kind:
    """One finite number: at least `least`, above `above`, at most `most`."""

    def take(value: Any) -> float:
        x = _number(value)
        if (least is not None and x < least) or (above is not None and x <= above) or (most is not None and x > most):
            raise ValueError(x)
        return x

    bounds = [] if least is None else ["not negative"] if least == 0 else [f"at least {least:g}"]
    bounds += [] if above is None else ["positive"] if above == 0 else [f"above {above:g}"]
    bounds += [] if most is None else [f"at most {most:g}"]
    return Kind(", ".join(["one finite number", *bounds]), take)


def whole(least: int | None = None, most: int = MANY) -> Kind:
    """One whole number."""

    def take(value: Any) -> int:
        if isinstance(value, bool | np.bool_ | np.ndarray):
            raise TypeError(value)
        n = operator.index(value)
        if (least is not None and n < least) or abs(n) > most:
            raise ValueError(n)
        return n

    words = {None: "a whole number", 0: "a whole number, 0 or more", 1: "a positive whole number"}
    return Kind(f"{words.get(least, f'a whole number, {least} or more')}, up to {most}", take)


def _flag(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return str(value)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise TypeError(value)
    return tuple(_text(x) for x in value)


def _as_array(value: Any) -> np.ndarray:
    x = np.asarray(value)
    if not x.ndim or x.dtype == object:
        raise TypeError(value)
    return x


def _path(value: Any) -> Any:
    text = os.fspath(value)
    if not isinstance(text, str) or not text or "\0" in text:
        raise TypeError(value)
    return value


PICTURES = ("", ".png", ".pdf", ".svg", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".eps", ".ps")


def _picture(value: Any) -> Any:
    if os.path.splitext(_path(value))[1].lower() not in PICTURES:
        raise _Reason(f"the name ends in none of {', '.join(PICTURES[1:])}")
    return value


def _nothing(value: Any) -> None:
    if value is not None:
        raise TypeError(value)


def _callable(value: Any) -> Any:
    if not callable(value) or isinstance(value, type):
        raise TypeError(value)
    return value


def mapping(values: Kind | None = None) -> Kind:
    """A mapping from names, to values of one kind where it is given."""

    def take(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise TypeError(value)
        return {key: x if values is None else _entry(key, values, x) for key, x in value.items()}

    inside = "" if values is None else f" with {values.expected} each"
    return Kind(f"a mapping {{name: …}}{inside}", take)


def _entry(key: str, kind: Kind, value: Any) -> Any:
    try:
        return kind.take(value)
    except Exception:
        raise _Reason(f"{key}: {show_value(value)}") from None


def several(kind: Kind, least: int = 1) -> Kind:
    """A list of things of one kind."""

    def take(value: Any) -> list[Any]:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise TypeError(value)
        taken = [kind.take(x) for x in value]
        if len(taken) < least:
            raise ValueError(value)
        return taken

    return Kind(f"a list{' of at least one' if least else ''}, each {kind.expected}", take)


def instance(where: str, remedy: str) -> Kind:
    """An object of a class of this library, by its full name (which need not be loaded)."""

    def take(value: Any) -> Any:
        if not any(f"{c.__module__}.{c.__qualname__}" == where for c in type(value).__mro__):
            raise TypeError(value)
        return value

    return Kind(remedy, take)


numbers = Kind("real numbers: one, a list or an array", _numbers)
listed = Kind("an array with an entry for each of something", _as_array)
nothing = Kind("None", _nothing)
flag = Kind("True or False", _flag)
word = Kind("a text", _text)
words = Kind("a list of texts", _texts)
path = Kind("the path of a file, as text or pathlib.Path", _path)
picture = Kind("the path of a picture (png, pdf, svg, …)", _picture)
folder = Kind("the path of a folder, as text or pathlib.Path", _path)
callback = Kind("a function", _callable)
wrenches = numbers | mapping(numbers)
_load = instance("gough.simulation.loads.load.TimeLoad", "loads of gough.loads")
wrenches_in_time = Kind(
    "six numbers for the platform, a load of gough.loads or a list of loads, or a mapping {frame: such}",
    (numbers | _load | several(_load) | mapping(numbers | _load | several(_load))).take,
)
design = numbers | mapping(numbers)
a_model = instance("gough.model.model.Model", "a gough.Model; make one with gough.build(robot)")
a_robot = instance("gough.robot.robot.Robot", "a gough.Robot; load one with gough.load(file)")
a_motion = instance("gough.simulation.motion.motion.Motion", "a gough.Motion; see gough.motions")
a_run = instance("gough.simulation.results.run.Run", "a gough.Run, as gough.simulate returns it")
a_law = instance(
    "gough.simulation.control.law.Law",
    "a law such as gough.laws.ComputedTorque(…) (files alone name laws); a function as gough.laws.Sampled(function, period)",
)
a_function = instance("gough.compilation.function.Function", "a gough.Function; model.function(NAME) gives one")
