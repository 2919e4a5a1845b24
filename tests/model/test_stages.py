"""A model is made of finished stages: it does not change, others are made of it, and it travels as it is."""

import dataclasses
import pickle
from functools import cache

import numpy as np
import pytest

import gough
from gough.kinematics.leading import led_by_platform


@cache
def model(name: str, **options) -> gough.Model:
    return gough.build(name, **options)


@pytest.mark.parametrize("name", ["lopes", "pedrammehr2012", "delta_fast"])
def test_other_velocities_are_those_of_a_model_built_with_them(name: str) -> None:
    built, other = model(name, velocities="drives"), model(name).with_(velocities="drives")
    assert other.mechanism.selection == built.mechanism.selection and other.layout == built.layout
    np.testing.assert_array_equal(other.home, built.home)
    v = np.arange(1.0, 1.0 + built.layout.nv)
    found, truth = (m.inverse_dynamics(m.home, v, v).tau for m in (other, built))
    np.testing.assert_allclose(found, truth, rtol=1e-12)


def test_what_is_not_given_stays() -> None:
    start = model("lopes").with_(free=["gravity.*"], precision="ieee")
    assert (
        start.free == ("gravity.*",) and start.precision == "ieee" and start.function("mass_matrix").precision == "ieee"
    )
    led = start.with_(velocities="drives")
    assert led.free == start.free and led.precision == "ieee" and led.pattern == start.pattern
    heavier = led.with_(robot=gough.load("pedrammehr2012"), free=[])
    assert heavier.velocities == "drives" and heavier.robot.name != led.robot.name and heavier.precision == "ieee"
    assert model("lopes").with_().mechanism is model("lopes").mechanism


@pytest.mark.parametrize(
    "wrong", [{"velocities": "legs"}, {"precision": "exact"}, {"free": "gravity.x"}, {"free": ["nothing"]}]
)
def test_what_cannot_be_right_is_refused(wrong: dict) -> None:
    with pytest.raises(gough.UsageError):
        model("lopes").with_(**wrong)


@pytest.mark.parametrize("named", [["vx", "vy", "vz", "wx", "wy", "wy"], ["wz", "wz", *["vx", "vy", "vz", "wx", "wy"]]])
def test_a_velocity_named_twice_is_refused(named: list[str]) -> None:
    """As many names as freedoms, one of them twice, left a freedom out without a word."""
    for make in (lambda: model("lopes").with_(velocities=named), lambda: gough.build("lopes", velocities=tuple(named))):
        with pytest.raises(gough.UsageError, match=f"{named[-1] if named[0] == 'vx' else 'wz'} twice"):
            make()
    with pytest.raises(gough.UsageError, match="a name of its own"):
        gough.motions.function(lambda t: [t, t], 1.0, kind="joints", names=["a", "a"])


def test_a_model_does_not_change() -> None:
    m = model("lopes")
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.mechanism = model("five_bar").mechanism  # type: ignore[misc]
    for array in (m.home, m.parameters):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize("name", ["lopes", "delta_fast"])
def test_a_model_travels_without_being_built_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = model(name)
    led = led_by_platform(m) if name == "delta_fast" else m.led_by(range(6), m.home[None])
    text = pickle.dumps((m, led))
    with monkeypatch.context() as patch:
        patch.setattr("gough.model.model.build_structure", None)
        patch.setattr("gough.model.model.select", None)
        again, again_led = pickle.loads(text)
    for old, new in ((m, again), (led, again_led)):
        assert new.mechanism.selection == old.mechanism.selection and new.layout == old.layout
        assert not new.home.flags.writeable and not new.parameters.flags.writeable
        np.testing.assert_array_equal(new.mass_matrix(new.home), old.mass_matrix(old.home))
        assert new.function("inverse_dynamics").text() == old.function("inverse_dynamics").text()


def test_closures_are_made_once_for_all_velocities() -> None:
    m = model("lopes")
    assert m.with_(velocities="drives").function("closure_rows") is m.function("closure_rows")
