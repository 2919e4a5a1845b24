import pytest

from gough.errors import UsageError
from inner.viewer import Player


class Watch:
    """A clock that goes when told."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Watch:
    return Watch()


def test_it_stands_until_it_is_played_and_goes_at_its_speed(watch: Watch) -> None:
    player = Player(2.0, 6.0, watch)
    watch.seconds += 5
    assert player.time == 2.0 and not player.playing
    player.play()
    watch.seconds += 1.5
    assert player.time == pytest.approx(3.5)
    player.speed = 0.1
    watch.seconds += 2
    assert player.time == pytest.approx(3.7)
    player.pause()
    watch.seconds += 50
    assert player.time == pytest.approx(3.7)


def test_it_stops_at_the_end_and_begins_again_from_there(watch: Watch) -> None:
    player = Player(0.0, 1.0, watch)
    player.play()
    watch.seconds += 3
    assert player.time == 1.0 and not player.playing
    player.toggle()
    watch.seconds += 0.25
    assert player.time == pytest.approx(0.25) and player.playing


def test_it_goes_round(watch: Watch) -> None:
    player = Player(1.0, 3.0, watch)
    player.loop = True
    player.play()
    watch.seconds += 7.5  # three times round, and 1.5 s
    assert player.time == pytest.approx(2.5) and player.playing
    player.loop = False
    watch.seconds += 10
    assert player.time == 3.0 and not player.playing


def test_seeking_stays_within_the_run_and_playing_goes_on(watch: Watch) -> None:
    player = Player(0.0, 10.0, watch)
    assert player.seek(-3) == 0.0 and player.seek(99) == 10.0
    player.play()
    player.seek(4.0)
    watch.seconds += 1
    assert player.time == pytest.approx(5.0) and player.playing


def test_a_clock_that_goes_back_does_not_turn_time_back(watch: Watch) -> None:
    player = Player(0.0, 10.0, watch)
    player.play()
    watch.seconds += 2
    assert player.time == pytest.approx(2.0)
    watch.seconds -= 1
    assert player.time == pytest.approx(2.0)


def test_a_run_of_one_instant_stays_still(watch: Watch) -> None:
    player = Player(5.0, 5.0, watch)
    player.loop = True
    player.play()
    watch.seconds += 1
    assert player.time == 5.0 and not player.playing


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_bad_speeds_are_refused(speed: float, watch: Watch) -> None:
    player = Player(0.0, 1.0, watch)
    with pytest.raises(UsageError, match="speed"):
        player.speed = speed
    with pytest.raises(UsageError, match="finite"):
        player.seek(float("nan"))
    with pytest.raises(UsageError, match="playback"):
        Player(1.0, 0.0)
