"""Rest, vibrations, maps and reports of robots with idle freedoms."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from dynamics.idle_robots import ARM, CART_POLE, INERTIA, POLE, RODS, G, cart_pole, gantry, hexapod
from gough.robot import loads
from inner.analysis import verify
from inner.cli import app
from laws.mechanisms import mechanism


def test_a_load_hangs_still() -> None:
    model = cart_pole()
    for found in (gough.static_equilibrium(model, q=[0.3, 0.7]), gough.static_equilibrium(model, drives=[0.3])):
        np.testing.assert_allclose(found.q, [0.3, 0.0], atol=1e-12)
        np.testing.assert_allclose(found.tau, [0.0], atol=1e-12)
    pushed = gough.static_equilibrium(model, q=[0.3, 0.0], wrench={"pole": [1.0, 0, 0, 0, 0, 0]})
    np.testing.assert_allclose(pushed.tau, [-1.0], rtol=1e-9)


def test_a_load_goes_down_from_wherever_it_is() -> None:
    """To the next place below, a whole turn on where that is nearer; what stands exactly is left standing, and is unstable."""
    model = cart_pole()
    start = np.array([0.1, 1.0, 1.5, np.pi / 2, 1.7, 2.0, 3.0, 3.14, -2.5, 4.0, 6.0])
    found = gough.static_equilibrium(model, q=np.column_stack([np.zeros(11), start]))
    np.testing.assert_allclose(found.q[:, 1], np.where(start > np.pi, 2 * np.pi, 0.0), atol=1e-9)
    for rest in (
        gough.static_equilibrium(model, near=[0.0, 2.0], drives=[0.0]),
        gough.static_equilibrium(model, near=[0.0, 2.0], tau=[0.0]),
    ):
        assert rest.q[1] == pytest.approx(0.0, abs=1e-9)
    assert gough.static_equilibrium(model, q=[0.0, np.pi]).q[1] == np.pi
    assert gough.natural_frequencies(model, [0.0, 2.0]).stable
    assert gough.natural_frequencies(model, [0.0, np.pi]).verdict.startswith("unstable")


DOUBLE = """
format: 2
name: double
bodies:
  - {name: a, mass: 1}
  - {name: b, mass: 1, center_of_mass: [0, 0, -0.5]}
  - {name: c, mass: 2, center_of_mass: [0, 0, -0.4]}
joints:
  - {name: rail, type: prismatic, parent: world, child: a, axis: [1, 0, 0], drive: {}}
  - {name: s1, type: revolute, parent: a, child: b, axis: [0, 1, 0]}
  - {name: s2, type: revolute, parent: b, child: c, axis: [0, 1, 0], pose: {position: [0, 0, -1]}}
velocities: [rail, s1, s2]
"""


def test_a_double_pendulum_and_a_load_on_a_hook_lose_energy_on_the_way_to_rest() -> None:
    """Rest with the least potential energy there is, of 60 random starts each."""
    rng = np.random.default_rng(1)
    for model in (gough.build(loads(DOUBLE)), gantry()):
        places = [model.layout.index(name) for name in model.layout.idle_names]
        q = np.repeat(model.home[None], 60, axis=0)
        q[:, places] = rng.uniform(-3.1, 3.1, (60, 2))
        found = gough.static_equilibrium(model, q=q)
        least = model.energies(model.home, np.zeros(model.layout.nv)).potential
        energies = model.energies(found.q, np.zeros((60, model.layout.nv))).potential
        np.testing.assert_allclose(energies, least, rtol=1e-9)
        held = [k for k in range(model.layout.nq) if k not in places]
        np.testing.assert_array_equal(found.q[:, held], q[:, held])


def test_what_falls_for_ever_has_no_rest() -> None:
    text = DOUBLE.replace(
        "s1, type: revolute, parent: a, child: b, axis: [0, 1, 0]", "s1, type: prismatic, parent: a, child: b"
    )
    with pytest.raises(gough.BadStateError, match="SINGULAR at stiffness: forces are out of balance along a motion"):
        gough.static_equilibrium(gough.build(loads(text)))


def test_a_load_swings_at_its_own_frequency() -> None:
    found = gough.natural_frequencies(cart_pole())
    np.testing.assert_allclose(
        found.frequencies_hz, [np.sqrt(POLE * G * ARM / (INERTIA + POLE * ARM**2)) / (2 * np.pi)], rtol=1e-12
    )


@pytest.mark.slow
def test_rods_without_inertia_neither_fall_nor_swing() -> None:
    model = hexapod()
    rest = gough.static_equilibrium(model)
    np.testing.assert_allclose(rest.q, model.home, atol=1e-12)
    np.testing.assert_allclose(rest.tau, model.inverse_dynamics(model.home, np.zeros(12), np.zeros(6)).tau, rtol=1e-9)
    assert len(gough.natural_frequencies(model).frequencies_hz) == 0
    servo = {"stiffness": 10.0}
    found, spun = (gough.natural_frequencies(m, drives=servo).frequencies_hz for m in (model, hexapod(1e-9)))
    assert len(found) == 6 and len(spun) == 12
    np.testing.assert_allclose(spun[6:], found, rtol=1e-3)


def test_singularities_are_those_of_what_is_led() -> None:
    rigid, idle = hexapod().singularity(hexapod().home), cart_pole().singularity([0.0, 0.3])
    assert rigid.parallel > 0.1 and rigid.inverse == pytest.approx(rigid.parallel)
    assert idle.parallel == idle.inverse == 1.0


@pytest.mark.parametrize("name", ["idle_loop-0", pytest.param("idle_rods-0", marks=pytest.mark.slow)])
def test_laws_hold(name: str) -> None:
    found = verify(mechanism(name).model, states=4)
    assert found.passed, found


def test_maps_are_of_what_is_led() -> None:
    model = mechanism("idle_loop-0").model
    assert gough.workspace(model, random=50).samples.names == ("crank",)
    found = gough.workspace(hexapod(), {"z": (0.13, 0.14, 5)})
    assert found.samples.names == ("z",) and (found.parallel > 0.05).all()


@pytest.mark.slow
def test_the_command_line_says_what_is_idle(tmp_path) -> None:
    shown = CliRunner().invoke(app, ["show", str(RODS)]).stdout
    assert "mobility 6" in shown and "idle, moved by no drive: leg0.knee_wz (no inertia: held)" in shown
    data = json.loads(CliRunner().invoke(app, ["show", str(RODS), "--json"]).stdout)
    assert data["idle"] == [{"name": f"leg{k}.knee_wz", "held": True} for k in range(6)] and data["mobility"] == 6
    robot, states = tmp_path / "cart.yaml", tmp_path / "states.csv"
    robot.write_text(CART_POLE)
    states.write_text("rail,swing,v.rail,v.swing,a.rail\n0.1,0.7,0.2,1.3,2.0\n")
    out = tmp_path / "out.csv"
    done = CliRunner().invoke(app, ["eval", str(robot), "inverse_dynamics", "--state", str(states), "--out", str(out)])
    assert done.exit_code == 0, done.output
    head, row = out.read_text().splitlines()[:2]
    values = dict(zip(head.split(","), row.split(","), strict=True))
    found = cart_pole().inverse_dynamics([0.1, 0.7], [0.2, 1.3], [2.0])
    assert float(values["tau.rail"]) == pytest.approx(found.tau[0]), values
    assert float(values["a.swing"]) == pytest.approx(found.idle_acceleration[0]), values


WHEEL = "  - {name: wheel, mass: 1, inertia: {about: center_of_mass, xx: 1, yy: 2, zz: 1}}\njoints:"
SPIN = (
    "  - {name: spin, type: revolute, axis: [0, 1, 0], parent: pole, child: wheel, pose: {position: [0.1, 0, -0.7]}}\n"
)
WHEELED = CART_POLE.replace("joints:", WHEEL).replace(
    "velocities: [rail, swing]", SPIN + "velocities: [rail, swing, spin]"
)


def test_a_map_calls_free_wheels_free_and_has_no_idle_axes() -> None:
    """A wheel turns freely, 0 Hz and no growth, and stays where the map puts it; a load swings back, so that it is no axis."""
    model = gough.build(loads(WHEELED))
    assert gough.natural_frequencies(model).verdict == "free: 1 motion without stiffness"
    found = gough.vibration_map(model, {"rail": (-0.5, 0.5, 7), "spin": (-1.0, 1.0, 3)}, count=2)
    assert not found.unstable.any() and (found.frequencies_hz[:, 0] == 0.0).all()
    truth = gough.natural_frequencies(model).frequencies_hz[1]
    np.testing.assert_allclose(found.frequencies_hz[:, 1], truth, rtol=1e-9)
    for ranges, fixed in (({"swing": (-1.0, 1.0, 5)}, {}), ({"rail": (0.0, 1.0, 3)}, {"swing": 0.4})):
        with pytest.raises(gough.UsageError, match="swing of cart_pole is idle: forces lead it to its rest"):
            gough.vibration_map(model, ranges, fixed=fixed)
