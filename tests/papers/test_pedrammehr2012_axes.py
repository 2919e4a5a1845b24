"""[Pedrammehr 2012]: fixed axes of the universal joints that the paper does not state: what they do to forces, by energies and
automatic differentiation; what the text says of path 1, and which axes that leaves."""

import json
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gough import named_motion
from gough.robot import load, loads
from gough_papers.along import PATHS, known_forces
from gough_papers.pedrammehr2012 import axes, search
from gough_papers.pedrammehr2012.pods import Part, Pods
from gough_papers.reproduction import document
from papers.pedrammehr2012 import direct
from papers.pedrammehr2012.direct import DATA
from papers.pedrammehr2012.paths import path
from papers.vectors import dot
from reference.energies.lagrange import Reference

CHOICES = {choice.name: choice for choice in axes.choices(DATA.b)}
PATH_NUMBERS = (1, 2, 3)


# ---- forces with other axes, by energies


@cache
def reference(name=None):
    """The gallery robot by energies; name: of other axes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name is None:
            return Reference(load(axes.ROBOT))
        data = json.loads(json.dumps(document(axes.ROBOT)))
        axes.changed_axes(CHOICES[name])(data)
        return Reference(loads(json.dumps(data), f"{axes.ROBOT}.yaml"))


def forces(model, number, rows):
    """Drive forces at samples of a path, reached from home one sample after another."""
    p = path(number)
    pose = named_motion(f"pedrammehr2012_path{number}").at(p.t).position
    q, out = model.home(), []
    for k in range(max(rows) + 1):
        if k % 20 == 0 or k in rows:  # near enough to stay on the branch
            q = model.assemble(np.concatenate([pose[k], q[7:]]), fixed=["pose"])
        if k in rows:
            out.append(model.inverse(q, p.twist[k], p.acceleration[k]))
    return np.array(out)


def transcribed(number, name=None):
    choice = None if name is None else CHOICES[name]
    data = DATA if choice is None else replace(DATA, u=choice.u, v_sign=choice.sense)
    return direct.inverse_dynamics(*path(number).state, data=data).f


@pytest.mark.quick_cases("u along b_i", "u tangential")
@pytest.mark.parametrize("name", CHOICES)
def test_changes_of_the_largest_sample(name):
    """Where the transcription has the largest change, the energies have it too: the report's known numbers."""
    for number, known in zip(PATH_NUMBERS, axes.KNOWN[name], strict=True):
        change = np.abs(transcribed(number, name) - transcribed(number))
        row = int(change.max(axis=1).argmax())
        found = forces(reference(name), number, [row]) - forces(reference(), number, [row])
        assert abs(np.abs(found).max() - known) <= 0.05
        assert abs(change.max() - known) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("number", PATH_NUMBERS)
def test_all_samples_by_energies(number):
    """The known forces of the report and the changes by other axes, at every sample."""
    rows = range(len(path(number).t))
    right = forces(reference(), number, rows)
    assert all(c.within for c in known_forces(f"pedrammehr2012_path{number}", right))
    assert len(PATHS[f"pedrammehr2012_path{number}"].known) >= 2
    for name in CHOICES:
        found = np.abs(forces(reference(name), number, rows) - right).max()
        assert abs(found - axes.KNOWN[name][number - 1]) <= 0.05, name


# ---- path 1 in closed form


NOTHING = Part(1.0, np.zeros(3), np.eye(3))
PODS = Pods(DATA.a, DATA.b, NOTHING, NOTHING, NOTHING, (0.0, 0.0, 0.0), np.zeros(3), np.tile([1.0, 0.0, 0.0], (6, 1)))


@cache
def swing():
    p = path(1)
    return search.path_swing(PODS, p.position, float(p.twist[0, 0]))


def unit(u):
    return u / np.linalg.norm(u, axis=-1, keepdims=True)


def test_spins_of_path_1_are_the_transcriptions():
    rng = np.random.default_rng(5)
    for u in unit(rng.normal(size=(5, 6, 3))):
        k = direct.kinematics(*path(1).state, data=replace(DATA, u=u))
        spin, rate = search.spins(swing(), u)
        np.testing.assert_allclose(spin.T, k.w_t, atol=1e-12 * np.abs(k.w_t).max())
        np.testing.assert_allclose(rate.T, dot(k.alpha, k.n), atol=1e-11 * np.abs(k.alpha).max())


@pytest.mark.parametrize("kind", search.READINGS)
def test_gaps_are_those_of_both_models(kind):
    """With the transcription with and without spin: the simplified model, not the improved one's part across the pod."""
    u = unit(np.random.default_rng(6).normal(size=(6, 3)))
    data = replace(DATA, u=u)
    k, simple = (direct.kinematics(*path(1).state, data=data, spin=spin) for spin in (True, False))
    found = search.gaps(swing(), u, kind)
    for mine, a, b in ((found.velocity, k.w, simple.w), (found.acceleration, k.alpha, simple.alpha)):
        size = np.linalg.norm(b, axis=-1)
        apart = {
            "magnitudes": np.abs(np.linalg.norm(a, axis=-1) - size),
            "vectors": np.linalg.norm(a - b, axis=-1),
            "tangential": np.abs(dot(a - b, k.n)),
        }[kind]
        np.testing.assert_allclose(mine, apart.max(axis=0) / size.max(axis=0), rtol=1e-9)


@pytest.mark.parametrize("last", search.LAST_TERMS)
def test_spins_with_the_last_term_of_25_as_printed(last):
    """The transcription's, with both senses of v."""
    u = unit(np.random.default_rng(8).normal(size=(6, 3)))
    on = replace(direct.ALL_ON, eq25_spin=last == "corrected")
    data = replace(DATA, u=u, v_sign=-1.0 if last.endswith("v = n × u") else 1.0)
    k = direct.kinematics(*path(1).state, data=data, on=on)
    np.testing.assert_allclose(search.spins(swing(), u, last)[1].T, dot(k.alpha, k.n), atol=1e-11)


@pytest.mark.parametrize("number", PATH_NUMBERS)
def test_what_the_simplified_acceleration_lacks(number):
    """α_t n, and ω_t ω_n × n across the pod: so it is not the part of the improved one across the pod."""
    data = replace(DATA, u=unit(DATA.b))
    k, simple = (direct.kinematics(*path(number).state, data=data, spin=spin) for spin in (True, False))
    lost = k.w_t[..., None] * np.cross(k.w_n, k.n)
    along = dot(k.alpha, k.n)[..., None] * k.n
    np.testing.assert_allclose(k.alpha - simple.alpha, along + lost, atol=1e-11 * np.abs(k.alpha).max())
    assert np.abs(dot(simple.alpha, simple.n)).max() <= 1e-12 and np.abs(lost).max() > 1e-4


def test_a_pod_agrees_in_both_or_in_neither():
    """In the plane of n and x, or normal to it: nothing differs, (25) as printed or not. Elsewhere both do."""
    rng = np.random.default_rng(7)
    s = swing()
    x = np.array([1.0, 0.0, 0.0])
    inside = x - unit(s.n[:, 0] - s.n[:, :1, 0] * x) * rng.uniform(0.2, 1.0, size=(6, 1))  # away from n
    for u in (inside, s.e[:, 0]):
        found = search.gaps(s, unit(u), "vectors")
        assert max(found.velocity.max(), found.acceleration.max()) <= 1e-12
        for on in (direct.ALL_ON, replace(direct.ALL_ON, eq25_spin=False)):
            k, simple = (
                direct.kinematics(*path(1).state, data=replace(DATA, u=unit(u)), on=on, spin=spin)
                for spin in (True, False)
            )
            assert np.abs(k.alpha - simple.alpha).max() <= 1e-12
    found = search.gaps(s, rng.normal(size=(200, 6, 3)), "vectors")
    assert found.velocity.min() > 0 and found.acceleration.min() > 0


def test_planes_of_the_pods_that_agree():
    """What rules out one direction for all pods, and horizontal ones."""
    L = path(1).position[0] + DATA.a - DATA.b
    np.testing.assert_allclose((L[:, 1] / L[:, 2])[[0, 1, 5]], [-1 / 3, -3 / 4, 1 / 9], atol=1e-12)
    e = swing().e[[0, 1, 5], 0]
    np.testing.assert_allclose(swing().e[[0, 1, 5]], np.broadcast_to(e[:, None], (3, 601, 3)), atol=1e-12)
    assert np.abs(e @ e.T).min() > 0.5  # no e lies in another's plane
    assert np.linalg.svd(e)[1][1] > 0.1  # planes differ: x is all they share
    assert np.abs(e[:, 1]).min() > 0.5  # a horizontal u has u·e = u_y e_y: only x is without spin


def test_axes_along_the_base_points_have_the_texts_order():
    """By the transcription's own kinematics, with (25) corrected and as printed."""
    data = replace(DATA, u=unit(DATA.b))
    simple = direct.kinematics(*path(1).state, data=data, spin=False)
    for on in (direct.ALL_ON, replace(direct.ALL_ON, eq25_spin=False)):
        k = direct.kinematics(*path(1).state, data=data, on=on)
        gap = []
        for a, b in ((k.w, simple.w), (k.alpha, simple.alpha)):
            size = np.linalg.norm(b, axis=-1)
            gap.append(np.abs(np.linalg.norm(a, axis=-1) - size).max(axis=0) / size.max(axis=0))
        agree = max(*gap[0][[0, 1, 5]], gap[1][2])
        differ = min(*gap[0][[2, 3, 4]], *gap[1][[0, 1, 3, 4, 5]])
        assert 1.4 < differ / agree < 1.5


def test_axes_along_the_base_points_have_it_in_sizes_alone():
    """In rad/s vectors have not, sizes have; with (25) as printed only for v along u × n."""
    u = unit(DATA.b)
    spin, w = np.abs(search.spins(swing(), u)[0]), swing().w
    vectors, sizes = spin.max(-1), (np.hypot(spin, w) - w).max(-1)
    assert vectors[[1, 5]].min() > vectors[2] and sizes[[0, 1, 5]].max() < sizes[[2, 3, 4]].min()
    contrast = [float(search.gaps(swing(), u, "magnitudes", last).contrast) for last in search.LAST_TERMS]
    np.testing.assert_allclose(contrast, [1.44, 1.44, 0.19], atol=0.005)


@pytest.mark.slow
def test_search():
    """Every family is tried, ours finds nothing, axes along b are the best of the rules; a few families have a member too."""
    p = path(1)
    few = search.path_swing(PODS, p.position[::15], float(p.twist[0, 0]))
    assert few.w.shape == (6, search.SAMPLES)
    found = {f.family: f for f in search.search(PODS, few)}
    plain = {name: f for name, f in found.items() if f.tried == 1}
    assert len(plain) == 28 and sum(f.tried for f in found.values()) == 30_548
    assert found["base x"].both["magnitudes"] == 0
    assert [name for name, f in plain.items() if f.both["magnitudes"] > 1] == ["b_i"]
    assert found["b_i, horizontal part"].both["magnitudes"] < 1 < found["one direction for all pods"].both["magnitudes"]
    swept = {name: f for name, f in found.items() if f.tried > 1}
    assert len(swept) == 14 and sum(f.both["magnitudes"] > 1 for f in swept.values()) == 5
    assert max(swept.values(), key=lambda f: f.both["magnitudes"]).family.startswith("120° from pair to pair, 6–1")
    best = found["b_i, turned about z"]
    assert search.gaps(few, best.best, "magnitudes").contrast == pytest.approx(best.both["magnitudes"], rel=1e-12)
