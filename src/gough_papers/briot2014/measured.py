"""What stands between a converged mesh of DualEMPS and the measured row of [Briot 2014, Table 3], as far as it can be computed,
and how the frequencies change over the workspace.

Changes are told in per cent of the same mesh without them. Joints held by dry friction are taken as fixed: that is the most
it can do. Shear and rotary inertia, and the air that moves along, are estimated from closed forms.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from scipy.linalg import eigh, null_space

from gough import Model, natural_frequencies
from gough_papers.briot2014.frequencies import (
    HALF_DIGITS,
    MEASURED,
    NAMES,
    RESOLUTION,
    meshed_model,
    sensitivities,
    six_frequencies,
)
from gough_papers.comparison import KnownComparison, at_most, paper_origin
from gough_papers.section import Grid

ELEMENTS = 4
"""A link, of the mesh that is changed."""
YOUNG, POISSON, DENSITY, THICKNESS, WIDTH = 74e9, 0.33, 2800.0, 0.004, 0.05
D13, D14, D15, D16, D17, D21 = 0.0675, 0.4505, 0.082, 0.065, 0.14, 0.4
"""m [Briot 2014, Table 1]."""
SLIDE, CUT_OFF = 95.196, 100.0
"""kg [Briot 2014, Table 2]; rad/s, of the drives' control as printed."""
FREE, HELD = (
    "drives free, slides of 95 kg",
    "slides of 95 kg on springs that give them 100 rad/s (without their own two modes, near 15.8 Hz)",
)
AIR = 1.2
"""kg/m³."""
THICKER = 4.1
"""mm, of beams that are changed."""
REFINED = {"link17.MX": 0.0058198, "link14.ZZ": 0.0030744, "link24.MX": 0.011171}
"""kg m, kg m², kg m."""
STROKE = 0.25
"""m, of the slides, as printed."""
STUCK = {"pin q25": ("q25",), "q12 and q22": ("q12", "q22"), "all three": ("q12", "q22", "q25")}
STEP = 1e-6


def missing_effects() -> dict[str, np.ndarray]:
    """{what: % that it changes each frequency (6,)}; the first is a size for either sign."""
    model = meshed_model(ELEMENTS)
    base = six_frequencies(model)

    def changed(f: np.ndarray) -> np.ndarray:
        return 100 * (f / base - 1)

    found = {
        "±: half a unit of every inertia of a rigid link, sizes added up": 100
        * np.abs(sensitivities(model, HALF_DIGITS)).sum(axis=1)
        / base,
        "the three inertias of `dualemps_refined`": changed(six_frequencies(model, parameters=REFINED)),
        "d17 shorter by 1 mm (at this density zz16 allows less than 0.1 mm)": changed(
            six_frequencies(meshed_model(ELEMENTS, _shorten_link_16))
        ),
        "Young's modulus + 1 %": np.full(6, 100 * (np.sqrt(1.01) - 1)),
        f"beams {THICKER:g} mm thick, their mass kept": changed(
            six_frequencies(meshed_model(ELEMENTS, _thicken_beams))
        ),
        FREE: changed(six_frequencies(model, drives="free")),
        HELD: changed(held_frequencies(model, SLIDE * CUT_OFF**2)),
    }
    terms = stiffness_and_mass(model)
    for name, joints in STUCK.items():
        found[f"dry friction holds {name}"] = changed(stuck_frequencies(model, terms, joints))
    found["10 g at the origin of link 17, a sensor"] = changed(
        six_frequencies(model, parameters={"link17.M": 0.177 + 0.010})
    )
    held = 100 * (1 / np.sqrt(1 - POISSON**2) - 1)
    found["lateral contraction held everywhere, at most (closed form)"] = np.full(6, held)
    found["shear and rotary inertia of the beams (closed form)"] = -100 * shear_and_rotary(base)
    air = AIR * np.pi * WIDTH**2 / 4 / (DENSITY * THICKNESS * WIDTH)
    found["air that moves along, at most (closed form)"] = np.full(6, -50 * air)
    return found


def held_frequencies(model: Model, stiffness: float) -> np.ndarray:
    """The first six frequencies (6,), Hz, with drives held by springs (N/m); the two modes in which slides move most left out."""
    modes = natural_frequencies(model, drives={"stiffness": stiffness}, about="undeformed")
    energy = np.einsum("ik,ij,jk->k", modes.shapes, model.mass_matrix(model.home), modes.shapes)
    slides = SLIDE * np.square(modes.shapes[: model.mobility]).sum(axis=0) / energy
    return modes.frequencies_hz[np.sort(np.argsort(slides)[: -model.mobility])][:6]


def shear_and_rotary(hertz: np.ndarray) -> np.ndarray:
    """The part (6,) by which they lower a frequency: ½ (k r)² (1 + E/κG), k the wave number of bending at that frequency, r the
    radius of gyration of the section, κ = 5/6 [Timoshenko's correction of first order]."""
    k2 = 2 * np.pi * hertz * np.sqrt(12 * DENSITY / YOUNG) / THICKNESS
    return 0.5 * k2 * THICKNESS**2 / 12 * (1 + 2 * (1 + POISSON) * 6 / 5)


def stiffness_and_mass(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """K and M (n, n) of the elastic coordinates at home, drives locked; K by differences of the bias force."""
    inside, columns, nothing = slice(model.mobility, model.layout.nv), _elastic_steps(model), np.zeros(model.layout.nv)
    q = model.integrate(np.tile(model.home, (2 * len(columns), 1)), np.concatenate([columns, -columns]))
    ahead, behind = np.split(model.bias_force(q, np.tile(nothing, (len(q), 1))), 2)
    K = (ahead - behind)[:, inside] / (2 * STEP)
    return (K + K.T) / 2, model.mass_matrix(model.home)[inside, inside]


def stuck_frequencies(model: Model, terms: tuple[np.ndarray, np.ndarray], joints: tuple[str, ...]) -> np.ndarray:
    """The first six frequencies (6,), Hz, of a robot whose passive joints do not turn; terms: of `stiffness_and_mass`."""
    columns = _elastic_steps(model)
    q = model.integrate(np.tile(model.home, (2 * len(columns), 1)), np.concatenate([columns, -columns]))
    ahead, behind = np.split(np.stack([_joint_angles(model, q)[name] for name in joints], axis=1), 2)
    N = null_space((ahead - behind).T / (2 * STEP))
    K, M = (N.T @ A @ N for A in terms)
    return np.sqrt(eigh(K, M, eigvals_only=True)[:6]) / (2 * np.pi)


def _elastic_steps(model: Model) -> np.ndarray:
    return np.eye(model.layout.nv)[model.mobility :] * STEP


def _joint_angles(model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
    """Of the passive joints (n,), rad, from the poses of links; the robot moves in the plane (x0, z0)."""

    def angle(link: str) -> np.ndarray:
        R = model.frame_pose(q, link)[1]
        return np.arctan2(R[:, 2, 0], R[:, 0, 0])

    return {"q12": angle("link12"), "q22": angle("link22"), "q25": angle("link14") - angle("link24")}


def _shorten_link_16(data: Any) -> None:
    link = next(b for b in data["bodies"] if b["name"] == "link16")
    link["flexible"]["beam"]["length"] = 0.139
    link["frames"]["tip"]["position"] = [0.139, 0, 0]
    next(j for j in data["joints"] if j["name"] == "j17")["mdh"]["d"] = 0.139


def _thicken_beams(data: Any) -> None:
    """Table 2 has the mass: the density goes down as the thickness goes up."""
    density = DENSITY * 1e3 * THICKNESS / THICKER
    for body in data["bodies"]:
        if "flexible" in body:
            beam = body["flexible"]["beam"]
            beam["section"]["rectangle"]["y"] = f"{THICKER} mm"
            beam["material"] = {**beam["material"], "density": f"{density} kg/m3"}


def common_factor(fine: np.ndarray) -> tuple[float, float]:
    """(least, most): factors that bring all of f1 to f5 (Hz) within the resolution of what was measured; least > most: none."""
    low, high = (MEASURED - RESOLUTION) / fine, (MEASURED + RESOLUTION) / fine
    return float(low[:5].max()), float(high[:5].min())


def thickness_of(factor: float) -> float:
    """mm, of beams of the same mass that raise every frequency by that factor: bending goes with the cube of the thickness."""
    return 1e3 * THICKNESS * factor ** (2 / 3)


def effects_grid(effects: Mapping[str, np.ndarray], fine: np.ndarray) -> Grid:
    """With what is to be explained first."""
    rows = {"to be explained: measured − converged mesh": 100 * (MEASURED / fine - 1)} | dict(effects)
    cells = tuple((name, *(f"{x:+.2f}" for x in values)) for name, values in rows.items())
    title = f"What could be missing, and what it does ({ELEMENTS} elements a link)"
    return Grid(("% of the frequency", *NAMES), cells, NAMES, title)


def over_workspace(model: Model) -> np.ndarray:
    """(36, 6) Hz: slides at 0, 50, … 250 mm each, locked there, undeformed; home first."""
    places = np.linspace(0.0, STROKE, 6)
    drives = np.array(list(product(places, places)))
    q = model.configuration(drives=drives, near=model.home)
    return np.stack([six_frequencies(model, x) for x in q])


def workspace_grid(found: Mapping[str, np.ndarray]) -> Grid:
    """Smallest and largest, and how far from home."""
    rows = []
    for name, f in found.items():
        rows.append((f"{name}: smallest, Hz", *(f"{x:.3f}" for x in f.min(axis=0))))
        rows.append((f"{name}: largest, Hz", *(f"{x:.3f}" for x in f.max(axis=0))))
        away = np.abs(f / f[0] - 1).max(axis=0)
        rows.append((f"{name}: farthest from q11 = q21 = 0, %", *(f"{100 * x:.2f}" for x in away)))
    title = f"Frequencies over the slides' stroke, {STROKE:g} m each, 36 poses"
    return Grid(("", *NAMES), tuple(rows), NAMES, title)


def workspace_comparisons(found: Mapping[str, np.ndarray]) -> list[KnownComparison]:
    """“near constant anywhere in the workspace”: no change that the paper's measurement could have shown. found: one element
    a link, which is no measured robot, then more."""
    where = paper_origin("[Briot 2014, §5]: near constant anywhere in the workspace")
    name, fine = list(found.items())[-1]
    what, change = f"largest change of f1 to f6 over the slides' stroke, {name}", float(largest_changes(fine).max())
    return [at_most(what, change, RESOLUTION, "Hz", where, "the resolution of the paper's measurement")]


def largest_changes(hertz: np.ndarray) -> np.ndarray:
    """(6,) Hz: how far each is from home at most; hertz: of `over_workspace`."""
    return np.abs(hertz - hertz[0]).max(axis=0)
