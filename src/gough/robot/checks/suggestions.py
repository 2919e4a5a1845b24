"""What somebody meant by a word that is not known here: words of other tools first, then words that look alike."""

from collections import Counter
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice
from typing import Any

from gough.joints import ALL

MOST_LISTED = 24
MOST_KNOWN, MOST_COMPARED = 300, 60
MOST_LETTERS = 60
HOMES = {"URDF": "`home: {joints: …}` in its file of loops (--loops)", "MJCF": "a keyframe called `home`"}
"""Where files of other programs have a home that is not their zero."""

MEANT: dict[str, str] = {
    **{name: joint.words for name, joint in ALL.items() if joint.words},
    "center_of_mass": "com cog cg centre_of_mass center_of_gravity centre_of_gravity c_o_m mass_center mass_centre",
    "inertia": "i tensor inertia_tensor moments moment_of_inertia",
    "mass": "m weight",
    "weight_share": "gravcomp gravity_compensation gravity_share gravity_factor gravity_scale weightless disable_gravity",
    "rpy_zyx": "rpy euler ypr yaw_pitch_roll orientation rotation angles rot",
    "quaternion_wxyz": "quaternion quat q wxyz xyzw",
    "position": "xyz origin translation pos location point offset",
    "pose": "frame origin placement transform location",
    "bodies": "links parts rigid_bodies segments",
    "body": "link part",
    "joints": "joint axes_list connections",
    "loops": "constraints closures loop loop_closures connect equality",
    "legs": "limbs arms chains leg",
    "chain": "joints links",
    "world": "base ground earth fixed_base inertial origin",
    "platform": "end_effector ee tool top_plate moving_platform",
    "drive": "motor actuator actuated active driven transmission",
    "drives": "motors actuators",
    "springs": "spring tendons",
    "limits": "limit range bounds",
    "lower": "min minimum low",
    "upper": "max maximum high",
    "viscous": "damping viscous_friction",
    "coulomb": "dry coulomb_friction frictionloss static_friction",
    "rotor_inertia": "armature motor_inertia",
    "gear": "gear_ratio ratio reduction transmission",
    "force_limit": "effort max_force max_torque torque_limit effort_limit",
    "speed_limit": "velocity max_speed velocity_limit",
    "home": "initial_pose rest start reference",
    "lead": "pitch screw_pitch thread_pitch lead_per_turn",
    "like": "template extends inherits same_as",
    "parent": "from predecessor base",
    "child": "to successor",
    "stiffness": "k spring_constant",
    "rest_length": "length free_length l0 natural_length",
    "velocities": "independent coordinates",
    "name": "id label",
    "title": "description summary",
    "source": "comment note reference notes",
    # choices
    "clamped": "cantilever fixed cantilevered clamped_free",
    "craig_bampton": "cb hurty component_mode_synthesis cms",
    "guyan": "static static_condensation",
    "dp5": "rk45 ode45 dopri5 dopri runge_kutta_45 dormand_prince",
    "rk4": "runge_kutta rungekutta euler",
    "cvode": "bdf ode15s lsoda sundials stiff",
    "generalised_alpha": "newmark hht generalized_alpha alpha",
}
FOREIGN: dict[str, list[str]] = {}
for _ours, _theirs in MEANT.items():
    for _word in _theirs.split():
        FOREIGN.setdefault(_word, []).append(_ours)


def meant_word(word: str, known: Sequence[str], cutoff: float = 0.6) -> str | None:
    """The known word that was meant_word, or None."""
    plain = word.strip().lower().replace("-", "_").replace(" ", "_")[:MOST_LETTERS]
    if len(known) > MOST_COMPARED:  # many names: only those that begin as the word does
        known = [
            entry
            for entry in known[:MOST_KNOWN]
            if entry[:1].lower() == plain[:1] and abs(len(entry) - len(plain)) <= 2
        ]
    for entry in known:
        if entry.lower() == plain:
            return entry
    for entry in FOREIGN.get(plain, ()):
        if entry in known:
            return entry
    return _alike(plain, tuple(known[:MOST_COMPARED]), cutoff)


def choice_of(known: Collection[str]) -> str:
    """ "one of a, b, c"; of many the first ones."""
    if not known:
        return "one of them, but there are none"
    shown = list(dict.fromkeys(islice(known, MOST_LISTED)))
    more = len(known) - MOST_LISTED
    return f"one of {', '.join(shown)}" + (f", … ({more} more)" if more > 0 else "")


@lru_cache(maxsize=4096)
def _letters(word: str) -> Counter[str]:
    return Counter(word.lower())


@lru_cache(maxsize=4096)
def _alike(word: str, known: tuple[str, ...], cutoff: float) -> str | None:
    letters = Counter(word)
    best, found = cutoff, None
    for entry in known:
        total = len(word) + len(entry)
        # A bound that costs little: most words are not alike at all.
        if not total or 2 * (letters & _letters(entry)).total() < best * total:
            continue
        ratio = SequenceMatcher(None, entry.lower(), word).ratio()
        if ratio >= best:
            best, found = ratio, entry
    return found


def home_remedy(robot: Any) -> str:
    """Where another home of a robot is written; "" for a description, which has the key."""
    source = robot.source
    kind = source.get("format") if isinstance(source, dict) else None
    if not isinstance(kind, str):
        return ""
    converted = "`home: {joints: …}` in the description that `gough convert FILE robot.yaml` makes of it"
    return HOMES.get(kind, converted)
