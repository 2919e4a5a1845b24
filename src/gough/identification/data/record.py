"""A record: what was measured in one run of a robot, as it was measured, in SI units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_run, checked, design, mapping, number, whole, word, words
from gough.errors import UsageError
from gough.frozen import FrozenDict, lock_arrays
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

WORDS = {"positions": "position", "forces": "force", "rates": "rate", "reference": "reference"}
"""{group of channels: the word of one of them}."""
GROUPS = tuple(WORDS)
WIDTHS = {"pose": 7, "wrench": 6}


@dataclass(frozen=True)
class Record:
    """One measured run. All channels have the times of `time`; what was not measured is absent.

    time (n,): s, increasing. positions {coordinate of q: (n,)}: m, rad; encoders of drives and of other joints. rates {the same:
    (n,)}: m/s, rad/s. forces {drive: (n,)}: N, N m. pose (n, 7): the platform's, x y z qw qx qy qz. wrench (n, 6): on the
    platform, at its origin, world axes. reference {drive: (n,)}: what the controller was told to follow. name: of the file or
    run, for messages. notes: how columns were understood. stated: channels whose unit was written down, which is believed.
    """

    name: str
    time: np.ndarray
    positions: Mapping[str, np.ndarray] = field(default_factory=dict)
    forces: Mapping[str, np.ndarray] = field(default_factory=dict)
    rates: Mapping[str, np.ndarray] = field(default_factory=dict)
    pose: np.ndarray | None = None
    wrench: np.ndarray | None = None
    reference: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stated: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", np.asarray(self.time, dtype=float))
        n = len(self.time) if self.time.ndim == 1 else -1
        if n < 0:
            raise UsageError(f"Record {self.name}: time has shape {self.time.shape}; expected (n,)")
        for key in GROUPS:
            given = {name: np.asarray(x, dtype=float) for name, x in dict(getattr(self, key)).items()}
            for name, x in given.items():
                if x.shape != (n,):
                    raise UsageError(
                        f"Record {self.name}: {key} of {name} has shape {x.shape}; expected ({n},) as time"
                    )
            lock_arrays(given.values())
            object.__setattr__(self, key, FrozenDict(given))
        for key, width in WIDTHS.items():
            if getattr(self, key) is not None:
                object.__setattr__(self, key, np.asarray(getattr(self, key), dtype=float))
                if getattr(self, key).shape != (n, width):
                    shape = getattr(self, key).shape
                    raise UsageError(f"Record {self.name}: {key} has shape {shape}; expected ({n}, {width})")
        lock_arrays([self.time, self.pose, self.wrench])

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """From the first sample to the last (s)."""
        return float(self.time[-1] - self.time[0])

    @property
    def channels(self) -> dict[str, np.ndarray]:
        """All channels but time by their words: {"position leg0.slide": (n,), "force leg0.slide": (n,), "pose": (n, 7), …}."""
        out = {f"{w} {name}": x for key, w in WORDS.items() for name, x in getattr(self, key).items()}
        return out | {key: getattr(self, key) for key in WIDTHS if getattr(self, key) is not None}

    def rows(self, which: Any, name: str | None = None) -> "Record":
        """The record with some of its rows alone: a slice, a mask (n,) or indices."""
        groups: dict[str, Any] = {key: {n: x[which] for n, x in getattr(self, key).items()} for key in GROUPS}
        single: dict[str, Any] = {
            key: None if getattr(self, key) is None else getattr(self, key)[which] for key in WIDTHS
        }
        return replace(self, name=name or self.name, time=self.time[which], **groups, **single)

    @classmethod
    @checked(
        run=a_run,
        name=word,
        coordinates=words,
        rate_hz=number(above=0),
        resolution=design,
        noise=mapping(number(least=0)),
        delay=mapping(number()),
        seed=whole(0),
    )
    def from_run(
        cls,
        run: "Run",
        name: str = "",
        *,
        coordinates: Sequence[str] | None = None,
        rate_hz: float | None = None,
        resolution: Any = None,
        noise: Mapping[str, float] | None = None,
        delay: Mapping[str, float] | None = None,
        seed: int = 0,
    ) -> "Record":
        """A simulated run as a log would hold it: encoders, their rates, forces, pose and wrench.

        coordinates: of q that have an encoder (default: the drives). rate_hz: of sampling, default the stored times. resolution:
        encoder step (m, rad), one for all or {coordinate: step}. noise {"force": σ, "position": σ, "rate": σ, "pose": σ}:
        normal, drawn from `seed`. delay {"force": s, "force DRIVE": s, …}: such a channel shows what was this long ago.
        """
        from gough.identification.data._runs import measure_run

        return measure_run(run, name, coordinates, rate_hz, resolution, noise or {}, delay or {}, seed)

    __repr__ = short_repr
