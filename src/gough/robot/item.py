"""The base of every description model: frozen, unknown keys refused with a suggestion, all faults at once.

Pydantic stops at the fields of a model before it looks at what they mean together. Here the checks between fields run
on the raw data beside the field validation, so that one reading reports both.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, ValidationInfo, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError

from gough.errors import MissingFileError, UsageError
from gough.frozen import freeze_mappings
from gough.robot.checks.suggestions import choice_of, meant_word
from gough.robot.errors import ABSENT, short
from gough.scalar import VariedNumber

Place = tuple[int | str, ...]
FORMAT = 2
"""The newest format of descriptions. Older ones are read for ever: what is new is a key, or a value, of a newer one."""


@dataclass(frozen=True)
class Fault:
    """A problem at a place relative to the model that reports it."""

    place: Place
    value: Any
    message: str
    expected: str = ""


@dataclass(frozen=True)
class Demand:
    """Of a number that follows variables, at a place: bound ("positive", "not negative" or "not zero") in words; written: as what
    is shown."""

    place: Place
    written: str
    number: Any
    bound: str
    words: str


class Item(BaseModel):
    """A mapping of the description. Every one of them may carry a `source`: where its numbers come from."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    source: str | None = None

    NEWER_KEYS: ClassVar[Mapping[str, int]] = {}
    """{key as it is written: the format it came with} of those that were not there from the first."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(is_same(getattr(self, name), getattr(other, name)) for name in type(self).model_fields)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields changed, which are not checked; UsageError for fields that there are not, and for those that
        would not be read because another says the same."""
        for name in update or {}:
            if name not in type(self).model_fields:
                known = nearest(str(name), list(type(self).model_fields))
                raise UsageError(f"model_copy: a {type(self).__name__} has no field {name!r}; use {known}")
        for name, why in self.overruled_fields(update or {}).items():
            raise UsageError(f"model_copy: {name} of a {type(self).__name__} {why}")
        return super().model_copy(update=update, deep=deep)

    def overruled_fields(self, update: Mapping[str, Any]) -> Mapping[str, str]:
        """{field: why} of an update that would change nothing, or not all that follows."""
        return {}

    def needed_format(self) -> int:
        """The oldest format that can say what is written here, its own values alone: newer keys, or values of old ones."""
        fields = type(self).model_fields
        newer = {name: self.NEWER_KEYS.get(field.alias or name, 1) for name, field in fields.items()}
        own = {
            name: since
            for name, since in newer.items()
            if since > 1 and not is_default(fields[name], getattr(self, name))
        }
        return max([*own.values(), *self.newer_values().values()], default=1)

    def newer_values(self) -> Mapping[str, int]:
        """{key as it is written: the format its value came with} of values that were not there from the first."""
        return {}

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Bring the written form of the mapping to the fields of the model."""
        return data

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        """Problems between the fields of raw data; values may be of any type, junk is left to the fields."""
        return iter(())

    def demands(self) -> Iterator["Demand"]:
        """What its numbers must be to each other, whatever variables they follow; `faults` says it of the numbers as they are."""
        return iter(())

    @classmethod
    def scope(cls, data: Mapping[str, Any], format: int) -> AbstractContextManager[Any]:
        """Under what the raw data of a file of a format is read: a robot's, under its variables."""
        return nullcontext()

    @classmethod
    def written_keys(cls) -> list[str]:
        """The keys that may be written in a file."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @classmethod
    def unknown(cls, key: Any, value: Any) -> Fault:
        """The fault of a key that may not be written here."""
        return unknown_key(key, value, cls.written_keys())

    @model_validator(mode="wrap")
    @classmethod
    def _collect(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise as_error(
                [Fault((), data, "not a mapping", f"a mapping with the keys {', '.join(cls.written_keys())}")]
            )
        reading = bool((info.context or {}).get("reading"))
        accepted = {*cls.written_keys(), *(() if reading else cls.model_fields)}
        known = {key: value for key, value in data.items() if key in accepted}
        faults = [cls.unknown(key, value) for key, value in data.items() if key not in accepted]
        format = (info.context or {}).get("format", FORMAT)
        faults += newer_key_faults(known, cls.NEWER_KEYS, format)
        with cls.scope(known, format):
            faults.extend(cls.faults(known))
            try:
                result = handler(cls.prepare(known))
            except ValidationError as error:
                raise as_error(merge_faults(faults, faults_of(error))) from None
        if not faults and format < FORMAT:
            faults += newer_value_faults(result, format, data)
        if faults:
            raise as_error(faults)
        for name, x in vars(result).items():
            if isinstance(x, dict):
                object.__setattr__(result, name, freeze_mappings(x))
        return result


def newer_key_faults(given: Mapping[str, Any], newer: Mapping[str, int], written: int) -> list[Fault]:
    """Of keys that the format of a file does not have."""
    told = "a key of format {}, and this file is of format {}"
    return [
        Fault((key,), given[key], told.format(since, written), f"`format: {since}` at the top of the file")
        for key, since in newer.items()
        if since > written and is_given(given, key)
    ]


def newer_value_faults(item: Item, written: int, data: Mapping[str, Any]) -> list[Fault]:
    """Of values of old keys that the format of a file does not have; of the whole item where it does not say which."""
    told, remedy = "a value of format {}, and this file is of format {}", "`format: {}` at the top of the file"
    newer = {key: since for key, since in item.newer_values().items() if since > written}
    needed = item.needed_format()
    if not newer and needed > written:
        return [Fault((), data, told.format(needed, written), remedy.format(needed))]
    return [
        Fault((key,), data.get(key), told.format(since, written), remedy.format(since)) for key, since in newer.items()
    ]


def oldest_format(data: Any) -> int:
    """That can say all of a description's part, at any depth."""
    if isinstance(data, Item):
        return max([data.needed_format(), *(oldest_format(getattr(data, name)) for name in type(data).model_fields)])
    if isinstance(data, Mapping):
        return max(map(oldest_format, data.values()), default=1)
    return max(map(oldest_format, data), default=1) if isinstance(data, list | tuple) else 1


def is_default(field: FieldInfo, value: Any) -> bool:
    """Whether a field holds what it has where nothing is written."""
    return not field.is_required() and is_same(value, field.get_default(call_default_factory=True))


def is_same(a: Any, b: Any) -> bool:
    """Whether two parts of descriptions say the same, numbers that follow variables by the same formulas."""
    if isinstance(a, VariedNumber) or isinstance(b, VariedNumber):
        return isinstance(a, VariedNumber) and a.follows_as(b)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(is_same(x, b[key]) for key, x in a.items())
    if isinstance(a, list | tuple) and isinstance(b, list | tuple) and isinstance(a, list) == isinstance(b, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    return bool(a == b)


def unknown_key(key: Any, value: Any, known: Sequence[str]) -> Fault:
    """The fault of a key that nothing reads, with the nearest known one."""
    known = list(dict.fromkeys(known))
    near = meant_word(str(key), known, cutoff=0.5)
    remedy = f", did you mean {near!r}?" if near else ""
    place = (key if isinstance(key, str | int) else str(key),)
    return Fault(place, value, f"unknown key {short(key)}{remedy}", choice_of(known))


def nearest(name: str, known: list[str]) -> str:
    """What is expected in the place of an unknown name: the nearest known one, or any of them."""
    near = meant_word(name, known)
    return f"{near!r}" if near else choice_of(known)


def no_such_name(name: str, what: str, known: list[str]) -> MissingFileError:
    """The error of a name that is neither a file nor one of the library's own."""
    near = meant_word(name, known)
    remedy = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
    return MissingFileError(None, f"no file and no {what} {short(name)}; {remedy}")


def merge_faults(first: list[Fault], second: list[Fault]) -> list[Fault]:
    """Both lists; a field's own complaint gives way to a check that speaks of the same place."""
    taken = {fault.place for fault in first}
    return first + [fault for fault in second if fault.place not in taken]


def as_error(faults: list[Fault]) -> ValidationError:
    """Faults as the exception that pydantic passes on to the outer models."""
    details: list[InitErrorDetails] = []
    for fault in faults:
        template = "{message} (expected {expected})" if fault.expected else "{message}"
        kind = PydanticCustomError("description", template, {"message": fault.message, "expected": fault.expected})  # type: ignore[arg-type]
        details.append({"type": kind, "loc": fault.place, "input": fault.value})
    return ValidationError.from_exception_data("description", details)


def spell_place(place: Place) -> str:
    """A place as messages have it: legs[0].chain[1].pose."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")


def as_stated(number: Any) -> str:
    """A number as it is written in the description, where it remembers that."""
    return str(getattr(number, "written", number))


def faults_of(error: ValidationError) -> list[Fault]:
    """The faults in an exception, those of pydantic's own in our words."""
    return [_translate(entry) for entry in error.errors(include_url=False)]


def _translate(entry: Any) -> Fault:
    context = entry.get("ctx", {})
    place, value = tuple(entry["loc"]), entry["input"]
    match entry["type"]:
        case "description":
            return Fault(place, value, context["message"], context["expected"])
        case "missing" | "missing_argument":
            return Fault(place, ABSENT, "a required key is missing", f"the key {place[-1]!r}")
        case "literal_error":
            known = re.findall(r"'([^']*)'", context["expected"])
            near = meant_word(value, known) if isinstance(value, str) else None
            remedy = f", did you mean {near!r}?" if near else ""
            return Fault(place, value, f"not one of the known values{remedy}", context["expected"])
        case "string_type":
            return Fault(place, value, "not a text", "a text")
        case "tuple_type" | "list_type":
            return Fault(place, value, "not a list", "a list")
        case "dict_type":
            return Fault(place, value, "not a mapping", "a mapping")
    return Fault(place, value, entry["msg"], "")


def look(data: Any, *place: int | str) -> Any:
    """What stands at a place in raw data or in models; ABSENT where there is nothing."""
    for key in place:
        if isinstance(data, BaseModel):
            data = getattr(data, str(key), ABSENT)
        elif isinstance(data, Mapping):
            data = data.get(key, ABSENT)
        elif isinstance(data, list | tuple) and isinstance(key, int) and -len(data) <= key < len(data):
            data = data[key]
        else:
            return ABSENT
    return data


def is_given(data: Any, *place: int | str) -> bool:
    """Whether something stands at a place (null does not count)."""
    value = look(data, *place)
    return value is not ABSENT and value is not None


def as_plain(value: Any) -> Any:
    """An array as lists; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value
