"""What is asked for wrongly: the status the standard asks for and a message, never a crash; and going back in time."""

import ctypes

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import gough
from gough.errors import UsageError
from gough.export import export_fmu

from .conftest import VERSIONS

DISCARD, ERROR = 2, 3
both = pytest.mark.parametrize("version", VERSIONS)


def status_of(call, *args, **more):
    with pytest.raises(FMICallException) as caught:
        call(*args, **more)
    return caught.value.status


@both
def test_wrong_token(opened, version):
    one = opened(version)
    own = one.fmu.guid
    one.fmu.guid = "{another}"
    with pytest.raises(Exception, match="instantiate"):
        one.fmu.instantiate()
    one.fmu.guid = own
    one.fmu.instantiate()


@both
def test_missing_variables(opened, version):
    one = opened(version)
    one.references |= {"none": 100_000}
    for wrong in ({"none": 1.0}, {"closure_error": 1.0}, {"left_motor.force": float("nan")}):
        assert status_of(one.put, **wrong) == ERROR
        one.fmu.reset()
    one.begin()
    assert status_of(one.get, "none") == ERROR


@both
def test_order_of_calls(opened, version):
    """After an error an instance can be read, reset, or set back, as the standard says, and nothing else."""
    one = opened(version)
    assert status_of(one.step, 0.0, 0.01) == ERROR
    assert status_of(one.begin) == ERROR
    one.fmu.reset()
    one.begin()
    kept = one.keep()
    assert status_of(one.put, **{"position.left_motor": 1.0}) == ERROR
    assert status_of(one.step, 0.0, 0.01) == ERROR
    one.get("q.left_motor")
    one.set_back(kept)
    one.step(0.0, 0.01)
    one.fmu.terminate()
    assert status_of(one.step, 0.01, 0.01) == ERROR
    one.get("q.left_motor")
    one.fmu.reset()
    one.begin()
    one.step(0.0, 0.01)


@both
def test_steps_that_cannot_be(opened, version):
    one = opened(version)
    for t, h in ((0.5, 0.01), (0.0, -0.01), (0.0, 0.0), (0.0, float("nan"))):
        one.begin()
        assert status_of(one.step, t, h) == ERROR
        one.fmu.reset()
    one.begin()
    kept = one.keep()
    assert status_of(one.step, 0.0, 1e9) == DISCARD
    one.set_back(kept)
    one.put(**{"left_motor.force": 0.3, "right_motor.force": 0.3})
    one.step(0.0, 0.01)
    assert np.isfinite(one.get("q.left_motor", "energy.kinetic")).all()


@both
def test_steps_that_fail(opened, version):
    """A step that fails on its way: in 3.0 nothing has happened, in 2.0 the instance says how far it came and waits."""
    one = opened(version)
    one.begin()
    one.step(0.0, 0.01)
    kept, names = one.keep(), ("q.left_motor", "velocity.left_motor", "left_motor.force")
    one.put(**{"left_motor.force": 1e4})
    before = one.get(*names)
    assert status_of(one.step, 0.01, 1.0) == DISCARD
    if one.three:
        assert (one.get(*names) == before).all()
        assert one.get("time")[0] == 0.01
        one.put(**{"left_motor.force": 0.1})
    else:
        value = ctypes.c_double()
        one.fmu.fmi2GetRealStatus(one.fmu.component, 2, value)
        assert 0.01 <= value.value < 1.01
        assert status_of(one.step, value.value, 0.01) == ERROR
        one.set_back(kept)
    one.step(0.01, 0.01)


@pytest.mark.parametrize("call", ["getContinuousStates", "getContinuousStateDerivatives", "enterEventMode"])
def test_functions_of_the_other_kind(opened, call):
    """What is for Model Exchange is refused to instances of Co-Simulation."""
    one = opened()
    one.begin()
    function = getattr(ctypes.CDLL(one.fmu.dll._name), f"fmi3{call[0].upper()}{call[1:]}")
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    assert function(one.fmu.component, (ctypes.c_double * 4)(), 4) == ERROR
    assert status_of(one.step, 0.0, 0.01) == ERROR


@both
def test_snapshots_that_are_none(opened, version):
    """A snapshot of another instance, one that was freed, bytes of the other kind."""
    one, two, other = opened(version), opened(version), opened(version, "exchange")
    for x in (one, two, other):
        x.begin()
    kept, theirs = one.keep(), two.keep()
    address = ctypes.c_void_p(kept.value)
    one.let_go(kept)
    for wrong in (theirs, address):
        assert status_of(one.set_back, wrong) == ERROR
    data = two.pack(theirs)
    one.set_back(one.unpack(data))
    assert status_of(other.unpack, data) == ERROR


@both
def test_unreachable_start(opened, version):
    one = opened(version, "exchange")
    one.put(**{"position.left_motor": np.pi, "position.right_motor": 0.0})
    assert status_of(one.begin) == ERROR


@both
def test_other_start_and_design(opened, version):
    """A start position closes the loops again; a heavier crank is that of the library."""
    model = gough.build("five_bar")
    one, name = opened(version), "left_crank.M"
    value = 1.5 * model.parameters[model.parameter_names.index(name)]
    first = model.home[list(model.drive_index)] + [0.05, -0.1]
    one.put(**{f"parameter.{name}": value, "position.left_motor": first[0], "position.right_motor": first[1]})
    one.put(**{"left_motor.force": 0.3})
    one.begin()
    changed = model.parameters_with({name: value})
    q = model.configuration(drives=first, near=model.home)
    vdot = model.forward_dynamics(q, np.zeros(2), np.array([0.3, 0.0]), parameters=changed).vdot
    assert np.abs(one.get(*(f"q.{x}" for x in model.layout.q_names)) - q).max() < 1e-9
    assert np.abs(one.get(*(f"der(velocity.{x})" for x in model.layout.v_names)) - vdot).max() < 1e-9


@both
def test_rollback(opened, version):
    """The same steps from a state that was kept, in the same and in another instance, give the same bits."""
    one, two = opened(version), opened(version)
    for x in (one, two):
        x.put(**{"left_motor.force": 0.3})
        x.begin()
    one.step(0.0, 0.1)
    kept = one.keep()
    data = one.pack(kept)
    one.step(0.1, 0.1)
    names = (
        "q.left_motor",
        "q.right_elbow",
        "velocity.left_motor",
        "energy.kinetic",
        "time" if one.three else "closure_error",
    )
    wanted = one.get(*names)
    one.set_back(kept)
    one.step(0.1, 0.1)
    assert (one.get(*names) == wanted).all()
    one.let_go(kept)
    two.set_back(two.unpack(data))
    two.step(0.1, 0.1)
    assert (two.get(*names) == wanted).all()
    spoilt = bytes(data)[:-8]
    assert status_of(two.unpack, spoilt) == ERROR


def test_instantiation_in_words(opened):
    """What is said where no instance can be made, and that nothing is said where messages are switched off."""
    one, said = opened(), []
    library = ctypes.CDLL(one.fmu.dll._name)
    tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)(
        lambda _, status, category, text: said.append((status, category, text))
    )
    make = library.fmi3InstantiateCoSimulation
    make.restype = ctypes.c_void_p
    text, flag, pointer = ctypes.c_char_p, ctypes.c_bool, ctypes.c_void_p
    make.argtypes = [text, text, text, flag, flag, flag, flag, pointer, ctypes.c_size_t, pointer, pointer, pointer]
    token, log = one.description.guid.encode(), ctypes.cast(tell, pointer)
    for name, key, events, words in (
        (b" ", token, False, b"name"),
        (b"x", b"{other}", False, b"token"),
        (b"x", token, True, b"event mode"),
    ):
        assert make(name, key, None, False, True, events, False, None, 0, None, log, None) is None
        assert words in said.pop()[2]
    step = library.fmi3DoStep
    step.argtypes = [pointer, ctypes.c_double, ctypes.c_double, flag, pointer, pointer, pointer, pointer]
    for logging in (True, False):
        made = make(b"x", token, None, False, logging, False, False, None, 0, None, log, None)
        assert step(made, 0.0, 0.1, False, None, None, None, None) == ERROR
        assert len(said) == logging
        said.clear()
        library.fmi3FreeInstance(ctypes.c_void_p(made))


def test_null_instance(opened):
    one = opened()
    step = ctypes.CDLL(one.fmu.dll._name).fmi3Terminate
    step.argtypes = [ctypes.c_void_p]
    assert step(None) == ERROR


def test_what_is_refused(tmp_path):
    model = gough.build("five_bar")
    for words, more in (
        ("version='1.0'", {"version": "1.0"}),
        ("drives='torques'", {"drives": "torques"}),
        ("equal explicit steps", {"method": "dp5"}),
        ("no frame 'hand'", {"loads": ["hand"]}),
        ("no C identifier", {"name": "a b"}),
        ("called by Python", {"controller": gough.laws.Sampled(lambda t, q, v, r: [float(t > 1), 0.0], 0.01)}),
    ):
        with pytest.raises(UsageError, match=words):
            export_fmu(model, tmp_path / "x.fmu", **more)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"ends in \.fmu"):
        export_fmu(model, tmp_path / "x.zip")
    bends = gough.build("long2014")
    for more in ({"frames": ["platform"]}, {"loads": ["platform"]}):
        with pytest.raises(UsageError, match="floats"):
            export_fmu(bends, tmp_path / "x.fmu", **more)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
