"""What is known about a run besides its numbers: how it was made, how it ended, what it cost."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from gough.errors import UsageError
from gough.frozen import freeze_mappings
from gough.text import printable, short_repr


@dataclass(frozen=True)
class RunInfo:
    """Plain data only (numbers, texts, lists, mappings): it is written to files as JSON.

    stopped: why the run ended ("finished", "interrupted", "singular:drives at t = 0.42 s"). settings: of the integrator.
    motion, controller: what was asked for, in words or as a mapping. events: (time, what happened) on the way.
    computing_s, compile_s: time spent; error_estimate: the integrator's own, of q (None: not known). notes: free text.
    """

    stopped: str = "finished"
    settings: Mapping[str, Any] = field(default_factory=dict)
    motion: Any = None
    controller: Any = None
    events: tuple[tuple[float, str], ...] = ()
    computing_s: float | None = None
    compile_s: float | None = None
    error_estimate: float | None = None
    notes: str = ""

    def __post_init__(self) -> None:
        for name in ("settings", "motion", "controller"):
            object.__setattr__(self, name, freeze_mappings(getattr(self, name)))

    @property
    def finished(self) -> bool:
        """Whether the run went to its end."""
        return self.stopped == "finished"

    def plain(self) -> dict[str, Any]:
        """As a JSON document."""
        return asdict(self)

    __repr__ = short_repr


def make_info(given: Mapping[str, Any]) -> RunInfo:
    """From keyword arguments or a file's JSON; unknown keys and what JSON cannot hold are refused."""
    known = [f.name for f in fields(RunInfo)]
    unknown = [name for name in given if name not in known]
    if unknown:
        raise UsageError(f"a run has no {', '.join(map(repr, unknown))}; what can be told about it: {', '.join(known)}")
    plain = {name: _plain(name, value) for name, value in given.items()}
    if "events" in plain:
        try:
            plain["events"] = tuple((float(t), str(what)) for t, what in plain["events"])
        except (TypeError, ValueError):
            raise UsageError(f"events={plain['events']!r}: give pairs (time in s, what happened)") from None
    return RunInfo(**plain)


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
