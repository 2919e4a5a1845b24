"""Two flexible platforms on Long's legs: for the transcription, and as the library has them.

PLATE    the paper's hexagon, ten modes by finite elements with Table 2's stiffnesses; its frame is at the mass centre and
         its shapes are free modes across the plane, so that MS_de, MS_re, λ and the elastic f_c, A_re vanish.
GENERIC  twelve mass points with random shapes, the frame far from the mass centre: nothing vanishes.
"""

import warnings
from functools import cache

import numpy as np

import gough
from gough.robot import UnphysicalInertiaWarning
from papers import library
from papers.long2014.legs import DATA, INITIAL_POSITION, Data
from papers.long2014.platform import State
from papers.shape_integrals import of_library, of_points
from papers.states import random_states
from reference.flexible.described import elastic_bodies, tied_frame
from reference.flexible.points import FlexiblePoints, flexible_robot

GENERIC_BODY = FlexiblePoints(7, 3, size=0.3, weight=70.0)
VERTICES = DATA.r


def _load(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)  # Table 3
        return gough.load(name)


@cache
def data(name):
    """Data of "plate" or "generic" for the transcription."""
    if name == "generic":
        b = GENERIC_BODY
        shapes = np.array([b.at(r)[0] for r in VERTICES])
        return Data(body=of_points(b.mass, b.position, b.shape, b.K, b.D), Phi_d=shapes)
    plate = elastic_bodies(_load("long2014"))["platform"]
    shapes = np.array([tied_frame(plate, r).translation for r in VERTICES])
    return Data(body=of_library(plate), Phi_d=shapes)


@cache
def model(name):
    """The library's model of the same robot."""
    if name == "plate":
        return library.model("long2014")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(flexible_robot(_load("long2014_rigid"), {"platform": GENERIC_BODY}))


def states(name, count):
    """States around the start: deformed by centimetres, moving and vibrating; the plate's modes under about 700 N each."""
    rng = np.random.default_rng(11)
    stiffness = np.diag(data(name).body.K_ee)
    bent = 700.0 / stiffness if name == "plate" else np.full(len(stiffness), 0.02)
    swing = 0.3 * bent * np.sqrt(stiffness) if name == "plate" else np.ones(len(stiffness))
    return [
        State(*rigid, bent * rng.uniform(-1, 1, len(bent)), swing * rng.uniform(-1, 1, len(bent)))
        for rigid in random_states(count, INITIAL_POSITION, 0.05, 0.1, 0.5, 3.0, seed=12)
    ]


def in_library(name, these):
    """q, v (states in front) of the library's model."""
    pose = np.array([s.position for s in these]), np.array([s.rotation for s in these])
    q = model(name).configuration(pose=pose, elastic=np.array([s.q_e for s in these]))
    return q, np.array([np.concatenate([s.twist, s.dq_e]) for s in these])
