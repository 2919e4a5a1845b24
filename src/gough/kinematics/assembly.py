"""Assembling a structure: from the description's guesses to a closed home, and how the structure can move there."""

import numpy as np

from gough.kinematics.closed_form_legs import ClosedFormLegs
from gough.kinematics.linkage import Assembly, Linkage
from gough.kinematics.mobility import SingularHomeError, kept_rows, sample
from gough.kinematics.settling import (
    carried_pose,
    carriers_known,
    home_guess,
    regular_home,
    settle,
    stated_home,
    with_screws_counted,
)
from gough.robot import Robot


def assemble(linkage: Linkage, robot: Robot, kinds: tuple[str | None, ...]) -> Assembly:
    """The linkage closed at home. kinds: closed forms of its legs.

    Where that home is singular and the description leaves a choice, another one.
    """
    legs = ClosedFormLegs(linkage, kinds)
    guess, known = home_guess(linkage.structure, robot)
    guess = with_screws_counted(linkage, guess, known)

    def start() -> np.ndarray:
        return home_start(legs, robot, guess, known)

    home = stated_home(linkage, guess, known)
    if home is None:
        home = settle(linkage, robot, start(), known)
    try:
        samples = sample(linkage, home, start)
    except SingularHomeError as error:
        elsewhere = regular_home(linkage, start(), known)
        if elsewhere is None:
            raise _with_freedoms(error, robot) from None
        home = elsewhere
        samples = sample(linkage, home, start)
    home.setflags(write=False)
    return Assembly(home, samples.q, samples.null, tuple(kept_rows(samples)), kinds, legs.branches_of(home))


def _with_freedoms(error: SingularHomeError, robot: Robot) -> SingularHomeError:
    """The error; of a platform with stated freedoms, with what they may have to do with it: a guide that holds what the legs
    must move is a lock nearby, and at a symmetric home it is not."""
    stated: tuple[str, ...] = getattr(robot.platform, "freedoms", None) or ()
    if not stated:
        return error
    return SingularHomeError(
        f"{error} Or platform.freedoms ({', '.join(stated)}) holds a coordinate that moves with these by the legs: name the "
        "freedoms that the platform has, or leave the key out: the legs alone then decide."
    )


def home_start(legs: ClosedFormLegs, robot: Robot, guess: np.ndarray, known: np.ndarray) -> np.ndarray:
    """q (nq,) where assembling the home begins: what is stated, legs where they can be found by themselves.

    guess, known: see `home_guess`.
    """
    linkage = legs.linkage
    if not linkage.structure.has_platform or not linkage.structure.legs:
        return guess.copy()
    start, carried = guess.copy(), carried_pose(linkage, guess, known)
    start[:7] = start[:7] if carried is None else carried
    start = legs.settle(robot, start, known)
    if not carriers_known(linkage, known) and not known[:7].all():
        start[known] = guess[known]  # legs found at no stated pose say nothing about stated joints
    return start
