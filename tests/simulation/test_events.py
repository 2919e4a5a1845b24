"""What a run tells of itself is data: it survives files, pickles and changes, and texts become data once."""

import json
import pickle

import pytest

from gough.errors import GOOD, Failure, Site, Status, UsageError
from gough.simulation.events import End, Ending, Event, Happening
from gough.simulation.results.info import RunInfo, make_info


def test_an_event_is_a_pair_with_a_kind():
    event = Event(1.5, Happening.CROSSED, "a singularity of leg1")
    assert event == (1.5, "crossed: a singularity of leg1")
    assert Event.parse(*event).kind == pickle.loads(pickle.dumps(event)).kind == Happening.CROSSED
    assert event.later(1.0) == (2.5, event[1]) and event.later(1.0).words == "a singularity of leg1"
    other = Event.parse(0.0, "crossed out: a line")
    assert other.kind == Happening.OTHER and other == (0.0, "crossed out: a line")


@pytest.mark.parametrize(
    "ending",
    [
        Ending(End.FINISHED, "finished"),
        Ending(End.NOT_THROUGH, "folded:leg1, a pose", Status.FOLDED.at("leg1")),
        Ending(End.FAILED, "not_finite:spring a at t = b", Status.NOT_FINITE.at("spring a at t = b", Site.SPRING)),
    ],
)
def test_an_end_survives_a_file(ending):
    info = make_info({"stopped": "as it was", "ended": ending.plain(), "events": [(0.0, "step: long")]})
    read = RunInfo.of_plain(json.loads(json.dumps(info.plain())))
    assert read.ending == info.ending == ending and read.ending.failure.site == ending.failure.site
    assert read.events == info.events and read.events[0].kind == Happening.STEP
    assert info.change({"notes": "x"}).ending == ending
    assert info.change({"stopped": "interrupted after t = 1 s"}).ending.end == End.INTERRUPTED
    with pytest.raises(UsageError, match="stopped="):
        make_info({"ended": {"end": "nowhere", "why": ""}})


def test_an_end_in_words():
    found = Ending.parse("not_converged:Newton at t = 1 s")
    assert found == Ending(End.FAILED, "not_converged:Newton", Status.NOT_CONVERGED.at("Newton"))
    assert found.failure.site == Site.NEWTON
    assert Ending.parse("failed at t = 1 s") == Ending(End.UNTOLD, "failed", GOOD)
    assert Ending.parse("controller failed (ValueError: no)").end == End.CONTROLLER_FAILED


def test_a_place_that_only_reads_like_a_site_is_none():
    assert Status.SINGULAR.at("drives").site == Site.NAMED and Status.SINGULAR.at(Site.DRIVES).site == Site.DRIVES
    assert Status.SINGULAR.at("drives") == Status.SINGULAR.at(Site.DRIVES) == Failure.parse("singular:drives")
