"""What a run tells of itself is data: it survives files, pickles and changes, and texts become data once."""

import json
import pickle

import pytest

import gough
from gough.errors import Failure, Site, Status, UsageError
from gough.simulation.events import End, Ending, Event, Happening
from gough.simulation.results._info import RunInfo, make_info
from laws.subjects import built


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
        Ending(End.INTERRUPTED, "interrupted after t = 1 s"),
        Ending(End.CONTROLLER_FAILED, "controller failed (ValueError: no)"),
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
    assert Ending.parse("failed at t = 1 s") == Ending(End.UNTOLD, "failed", Status.ENDED.at("failed"))
    assert Ending.parse("controller failed (ValueError: no)").end == End.CONTROLLER_FAILED


def test_a_place_that_only_reads_like_a_site_is_none():
    assert Status.SINGULAR.at("drives").site == Site.NAMED and Status.SINGULAR.at(Site.DRIVES).site == Site.DRIVES
    assert Status.SINGULAR.at("drives") == Status.SINGULAR.at(Site.DRIVES) == Failure.parse("singular:drives")


def test_a_run_that_ended_early_has_a_failure(tmp_path) -> None:
    model = built("five_bar")

    pressed: list[float] = []

    def stop(time: float, end: float) -> None:
        if time > 0.02 and not pressed:
            pressed.append(time)
            raise KeyboardInterrupt

    def give_up(t, q, v, reference):
        return [0.0, 0.0] if t < 0.02 else 1 / 0

    settings = {"duration": 0.1, "method": "rk4", "step": 1e-4}
    runs = {
        "interrupted": gough.simulate(model, v=[0.1, 0.0], progress=stop, **settings),
        "controller": gough.simulate(model, None, gough.laws.Sampled(give_up, 1e-2), **settings),
        "most_steps": gough.simulate(model, v=[0.1, 0.0], duration=0.1, step=1e-4, most_steps=3),
        "a word of my own": gough.simulate(model, duration=0.01).described(stopped="a word of my own"),
    }
    for place, run in runs.items():
        status = gough.Status.STEP if place == "most_steps" else gough.Status.ENDED
        run.save(tmp_path / "run.npz")
        for one in (run, gough.Run.load(tmp_path / "run.npz", model)):
            assert one.failure == one.info.ending.failure == status.at(place) and one.failure
    assert not gough.simulate(model, duration=0.01).failure
