"""What a run tells of itself, as data: what happened on its way, and how it ended. Its words are made from that, not read."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gough.errors import GOOD, Failure, Site, Status


class Happening(StrEnum):
    """The kind of an event, which is the word that its text begins with. OTHER: an event that is not of this library."""

    CHANGED = "changed"
    CONTROL = "control"
    CROSSED = "crossed"
    ENERGY = "energy"
    LIMIT = "limit"
    LOAD = "load"
    MOTION = "motion"
    SATURATED = "saturated"
    START = "start"
    STEP = "step"
    VELOCITIES = "velocities"
    OTHER = ""


class Event(tuple[float, str]):
    """(time (s), what happened): a pair, whose text is "kind: words"."""

    kind: Happening
    words: str

    def __new__(cls, time: float, kind: Happening, words: str) -> "Event":
        """An event of a kind, in words."""
        made = super().__new__(cls, (float(time), f"{kind}: {words}" if kind else words))
        made.kind, made.words = kind, words
        return made

    def __getnewargs__(self) -> tuple[float, Happening, str]:  # type: ignore[override]
        return self[0], self.kind, self.words

    def later(self, seconds: float) -> "Event":
        """The same at a time so much later."""
        return Event(self[0] + seconds, self.kind, self.words)

    @classmethod
    def parse(cls, time: float, text: str) -> "Event":
        """From a pair as users and files give it."""
        word, colon, words = text.partition(": ")
        known = colon and word in list(Happening)
        return cls(time, Happening(word), words) if known else cls(time, Happening.OTHER, text)


class End(StrEnum):
    """How a run ended. UNTOLD: in words alone, by a user, an ensemble or another program."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    CONTROLLER_FAILED = "controller failed"
    FAILED = "failed"
    NOT_THROUGH = "not through"
    """In a singular pose that it does not get through."""
    UNTOLD = ""


@dataclass(frozen=True)
class Ending:
    """How a run ended, why in words (without when), and the failure that it was: of the robot's states, or else ENDED at what
    ended it from outside; GOOD where it finished."""

    end: End
    why: str
    failure: Failure = GOOD

    def __post_init__(self) -> None:
        if not self.failure and self.end != End.FINISHED:
            places = {End.INTERRUPTED: "interrupted", End.CONTROLLER_FAILED: Site.CONTROLLER}
            object.__setattr__(self, "failure", Status.ENDED.at(places.get(self.end, self.why)))

    @property
    def of_states(self) -> bool:
        """Whether it is a failure of the robot's states."""
        return bool(self.failure) and self.failure.status != Status.ENDED

    def plain(self) -> dict[str, Any]:
        """As JSON keeps it."""
        f = self.failure
        told = {"status": int(f.status), "place": f.place, "site": str(f.site)} if self.of_states else {}
        return {"end": str(self.end), "why": self.why} | told

    @classmethod
    def of_plain(cls, data: Mapping[str, Any]) -> "Ending":
        """What `plain` has written."""
        failure = Status(data["status"]).at(data["place"], Site(data["site"])) if "status" in data else GOOD
        return cls(End(data["end"]), data["why"], failure)

    @classmethod
    def parse(cls, text: str) -> "Ending":
        """From words alone, as users and files of before give them: "singular:drives at t = 0.42 s"."""
        why = text.partition(" at t = ")[0]
        failure = Failure.parse(why)
        if failure:
            return cls(End.FAILED, why, failure)
        known = (End.INTERRUPTED, End.CONTROLLER_FAILED)
        end = End.FINISHED if text == End.FINISHED else next((e for e in known if text.startswith(e)), End.UNTOLD)
        return cls(end, why)
