"""What is known about a run besides its numbers: how it was made, how it ended, what it cost."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from gough.errors import UsageError
from gough.frozen import freeze_mappings
from gough.simulation.events import End, Ending, Event
from gough.text import printable, short_repr


@dataclass(frozen=True)
class RunInfo:
    """Plain data only (numbers, texts, lists, mappings): it is written to files as JSON.

    stopped: why the run ended ("finished", "interrupted after t = 0.3 s", "singular:drives at t = 0.42 s"). settings: of the
    integrator.
    ended: the same as data (see `Ending`), {} where it is known in words alone. motion, controller: what was asked for, in words
    or as a mapping. events: (time, what happened) on the way.
    computing_s, compile_s: time spent; error_estimate: the integrator's own, of q (None: not known). notes: free text.
    """

    stopped: str = "finished"
    settings: Mapping[str, Any] = field(default_factory=dict)
    motion: Any = None
    controller: Any = None
    events: tuple[Event, ...] = ()
    computing_s: float | None = None
    compile_s: float | None = None
    error_estimate: float | None = None
    notes: str = ""
    ended: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ending(self) -> Ending:
        """How the run ended, as data."""
        return Ending.of_plain(self.ended) if self.ended else Ending.parse(str(self.stopped))

    def __post_init__(self) -> None:
        for name in ("settings", "motion", "controller", "ended"):
            object.__setattr__(self, name, freeze_mappings(getattr(self, name)))

    @property
    def finished(self) -> bool:
        """Whether the run went to its end."""
        return self.ending.end == End.FINISHED

    def change(self, changes: Mapping[str, Any]) -> "RunInfo":
        """With other things told about it; an end told in other words is known in words alone."""
        kept = {f.name: getattr(self, f.name) for f in fields(self)}
        told = {} if "stopped" not in changes else {"ended": {}}
        return make_info({**kept, **told, **changes})

    def plain(self) -> dict[str, Any]:
        """As a JSON document of a file: `ended` stands in the settings, where readers of files of before leave it alone."""
        plain = asdict(replace(self, events=()))
        ended = plain.pop("ended")
        settings = {**plain["settings"], **({"ended": ended} if ended else {})}
        return {**plain, "settings": settings, "events": tuple(tuple(event) for event in self.events)}

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> "RunInfo":
        """What `plain` has written; unknown keys are refused."""
        settings = dict(plain.get("settings", {}))
        ended = settings.pop("ended", {})
        return make_info({**plain, "settings": settings, "ended": ended})

    __repr__ = short_repr


def make_info(given: Mapping[str, Any]) -> RunInfo:
    """From keyword arguments; unknown keys and what JSON cannot hold are refused."""
    known = [f.name for f in fields(RunInfo)]
    unknown = [name for name in given if name not in known]
    if unknown:
        raise UsageError(f"a run has no {', '.join(map(repr, unknown))}; what can be told about it: {', '.join(known)}")
    try:
        plain = _plain("info", dict(given))  # all at once
    except UsageError:  # which of them
        plain = {name: _plain(name, value) for name, value in given.items()}
    if "events" in plain:
        plain["events"] = _events(given["events"], plain["events"])
    if "ended" in plain:
        plain["ended"] = _ended(plain["ended"])
    return RunInfo(**plain)


def _events(given: Any, plain: Any) -> tuple[Event, ...]:
    """Events as they are, or from pairs."""
    try:
        read = [Event.parse(float(t), str(what)) for t, what in plain]
    except (TypeError, ValueError):
        raise UsageError(f"events={plain!r}: give pairs (time in s, what happened)") from None
    return tuple(
        Event(one[0], one.kind, _shown(one.words)) if isinstance(one, Event) else other
        for one, other in zip(given, read, strict=True)
    )


def _ended(plain: Any) -> dict[str, Any]:
    try:
        return Ending.of_plain(plain).plain() if plain else {}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UsageError(f"ended={plain!r}: say stopped=, in words, instead") from None


def _shown(data: Any) -> Any:
    """Plain data whose texts can be shown: what a file of a run may not hold is written as an escape."""
    if isinstance(data, str):
        return printable(data)
    if isinstance(data, dict):
        return {printable(key): _shown(x) for key, x in data.items()}
    return [_shown(x) for x in data] if isinstance(data, list) else data


def _plain(name: str, value: Any) -> Any:
    def convert(x: Any) -> Any:
        if hasattr(x, "tolist"):  # NumPy's numbers and arrays
            return x.tolist()
        raise TypeError

    try:
        return _shown(json.loads(json.dumps(value, default=convert)))
    except (TypeError, ValueError):
        raise UsageError(
            f"{name}={value!r}: give plain data (numbers, texts, lists, mappings); it is kept in files as JSON"
        ) from None
