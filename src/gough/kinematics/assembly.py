"""Assembling a structure: from the description's guesses to a closed home, and how the structure can move there."""

import numpy as np

from gough.joints import ALL
from gough.kinematics.closed_form_legs import ClosedFormLegs
from gough.kinematics.linkage import Assembly, Linkage
from gough.kinematics.mobility import OTHER_HOME, SingularHomeError, kept_rows, sample
from gough.kinematics.retraction import periodic_coordinates
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
from gough.robot.checks.suggestions import home_remedy
from gough.robot.tree import placed_joints
from gough.structure import Structure


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
        home = _nearest_turns(linkage.structure, robot, settle(linkage, robot, start(), known), guess)
    try:
        samples = sample(linkage, home, start)
    except SingularHomeError as error:
        elsewhere = regular_home(linkage, start(), known)
        if elsewhere is None:
            raise _with_remedy(error, robot) from None
        home = _nearest_turns(linkage.structure, robot, elsewhere, guess)
        samples = sample(linkage, home, start)
    home.setflags(write=False)
    return Assembly(home, samples.q, samples.null, tuple(kept_rows(samples)), kinds, legs.branches_of(home))


def _nearest_turns(structure: Structure, robot: Robot, home: np.ndarray, near: np.ndarray) -> np.ndarray:
    """home (nq,) with angles within half a turn of those in `near`, where whole turns make no difference and limits allow it."""
    turns = np.zeros(len(home))
    periodic = periodic_coordinates(structure)
    turns[periodic] = np.round((home - near)[periodic] / (2 * np.pi))
    out = np.where(turns != 0, home - 2 * np.pi * turns, home)
    joints = {placed.name: placed.joint for placed in placed_joints(robot)}
    for link in structure.links:
        own, c = joints.get(link.joint), link.q
        if own is None or not ALL[own.type].is_scalar or not turns[c]:
            continue
        stroke = (None, None) if own.drive is None or own.drive.stroke is None else own.drive.stroke
        lower = [x for x in (own.limits.of_coordinate("lower", 0), stroke[0]) if x is not None]
        upper = [x for x in (own.limits.of_coordinate("upper", 0), stroke[1]) if x is not None]
        was, now = (all(x >= b for b in lower) and all(x <= b for b in upper) for x in (home[c], out[c]))
        if was and not now:
            out[c] = home[c]
    return out


def _with_remedy(error: SingularHomeError, robot: Robot) -> SingularHomeError:
    """The error; of another program's file with where it has a home; of a platform with stated freedoms, with what they may have
    to do with it: a guide that holds what the legs must move is a lock nearby, and at a symmetric home it is not."""
    where = home_remedy(robot)
    if where and str(error).endswith(OTHER_HOME):
        error = SingularHomeError(f"{str(error).removesuffix('.')}: {where}.")
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
