"""Is the mechanism one this library can model, and is its home a good one? Said at build time, by name."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import HomeWarning, IdleWarning, SingularHomeWarning, Site, Status, StructureError, UsageError, warn
from gough.kinematics.closing import slack
from gough.kinematics.following import tree_rates
from gough.kinematics.lost import lost_direction
from gough.kinematics.mobility import scaled_closures
from gough.kinematics.settling import not_kept, uncounted_screws
from gough.kinematics.tilted_axes import ring_of
from gough.model._loop_doubts import locking_words, open_chain_words
from gough.program.lowering import PRECISIONS
from gough.robot.checks.suggestions import home_remedy
from gough.robot.checks.wildcards import names_like
from gough.robot.tree import guided_home
from gough.spatial.poses import pose_array, pose_difference
from gough.structure import Layout, Structure
from gough.structure.size import OF_DIRECTIONS

if TYPE_CHECKING:
    from gough.model.model import Model

NEAR_SINGULAR = 1e-4
SAME_POSE, FAR_POSE = 1e-6, 0.3
"""Difference (sizes, rad) between the stated home pose and the assembled one that is nothing, or too much."""
DOUBTFUL = 1e-2
"""Reciprocal condition below which a home, or an inverse model beside the drives' own, is doubted; NEAR_SINGULAR is warned of."""
NEIGHBOURS = 5
GUESSED = 0.02
"""Difference (rad, or of the robot's size) up to which home.joints were guesses that are merely not exact."""
MOST_TOLD = 6
LARGEST_CLOSURES = 4_000_000
"""Most entries of the matrix of all closures (equations × joint freedoms)."""
MEASURED = (1.6e6, 10.0, 0.3)
"""Entries of a chain of 400 four-bars, and what it took to build: s, GB."""
COINCIDE = 1e-9
"""Distance of two points, over the robot's size, that is none."""
LOCKED = 1e-9
"""Rate (scaled, per unit free motion) below which a joint is locked."""


def check_structure(structure: Structure) -> Structure:
    """The structure, which can be assembled in good time, and in which something moves."""
    check_amount(structure)
    if not structure.layout.nu:
        raise StructureError(f"{structure.name}: no joint can move; give at least one that is not fixed")
    return structure


def check_amount(mechanism: Structure) -> None:
    """Refuse loops that would take minutes and gigabytes before anything is known about them."""
    rows, columns = mechanism.rows, mechanism.layout.nu
    if rows * columns > LARGEST_CLOSURES:
        share = rows * columns / MEASURED[0]
        raise StructureError(
            f"{mechanism.name}: {rows} closure equations for {columns} joint freedoms are a matrix of {rows * columns:.3g} "
            f"entries, at most {LARGEST_CLOSURES:.3g} are taken: building would need about {share * MEASURED[1]:.0f} s or more "
            f"and {share * MEASURED[2]:.1f} GB. Leave out loops that say nothing new, model parts of it by themselves, or raise "
            f"gough.model.soundness.LARGEST_CLOSURES."
        )


def check_free_friction(mechanism: Structure, pattern: Mapping[int, float]) -> None:
    """Refuse `free` friction in a cut on a flexible body that was tied as a point because it had none: its moment would
    not reach the elastic coordinates."""
    for cut in mechanism.cuts:
        ties = [mechanism.links[k].tie for k in (cut.first, cut.second) if k >= 0]
        tied = any(tie is not None and tie.as_point for tie in ties)
        names = [mechanism.table.names[i] for k, i in enumerate(cut.friction) if k % 3 < 2 and i not in pattern]
        if tied and names:
            raise UsageError(
                f"free={names[0]!r}: {cut.name} holds a flexible body at a point, because its friction is 0. Give it a friction "
                f"that is not 0 in the description."
            )


def check_model(model: "Model") -> "Model":
    """The model, whose drives can move and whose springs and home are sound."""
    check_freedoms(model)
    check_drives(model)
    check_springs(model)
    check_home(model)
    return model


def check_freedoms(model: "Model") -> None:
    """A platform's stated freedoms must be those it has: what the legs hold would make a guide of them a lock."""
    guide = list(guided_home(model.robot))
    if not guide:
        return
    links = {link.joint: link for link in model.mechanism.links if link.joint in guide}
    rates = model.null_space[[links[name].u for name in guide]]
    rank = int((np.linalg.svd(rates, compute_uv=False) > LOCKED).sum()) if model.mobility else 0
    if rank == len(guide):
        return
    stated: tuple[str, ...] = getattr(model.robot.platform, "freedoms", ())
    held = [name for name, row in zip(stated, rates, strict=True) if not row.size or np.abs(row).max() < LOCKED]
    which = f"the legs hold {', '.join(held)}" if held else "the legs let them move together only"
    raise StructureError(
        f"{model.robot.name}: platform.freedoms names {', '.join(stated)}, but of these {len(guide)} the mechanism has {rank}: "
        f"{which}. Name the freedoms that the platform has, or leave the key out: the legs alone then decide."
    )


def check_drives(model: "Model") -> None:
    """Every drive must be able to move; too few or too many are an error unless the description says it means them."""
    mechanism, mobility = model.mechanism, model.mobility
    rates = model.null_space  # rows: how the free motions move each tree velocity at home
    locked = [d.name for d in mechanism.drives if np.abs(rates[mechanism.links[d.link].u]).max() < LOCKED]
    dead = [name for name in locked if _moves_nearby(model, name)]
    if dead:
        where = home_remedy(model.robot) or "`home:` has its joints or its pose"
        plural = "s" * (len(dead) > 1)
        raise StructureError(
            f"{mechanism.name}: home is singular, a dead centre of the drive{plural} {', '.join(dead)}: what is driven stands "
            f"still there while the rest moves, and moves elsewhere. Give another home: {where}; or drive another joint."
        )
    if locked:
        raise StructureError(
            f"{mechanism.name}: drive on a joint that cannot move: {', '.join(locked)}. {locking_words(model, locked)}"
        )
    drives = len(mechanism.drives)
    names = ", ".join(d.name for d in mechanism.drives) or "none"
    if drives < mobility and model.velocities is None:
        raise StructureError(
            f"{mechanism.name}: {drives} drives ({names}) for {mobility} freedoms ({', '.join(model.layout.v_names)}). Add "
            "`drive: {}` to more joints, or state `velocities:` (`any`, or names) to model an underactuated mechanism "
            "(no inverse dynamics, but hybrid dynamics of as many freedoms as there are drives)."
        )
    stated = model.robot.drive_sharing is not None or any(d.weight is not None for d in mechanism.drives)
    if drives > mobility and not stated:
        raise StructureError(
            f"{mechanism.name}: {drives} drives ({names}) for {mobility} freedoms. Say how they share the load: "
            f"`drive_sharing: least_norm`, or a `weight` on every drive."
        )


def _moves_nearby(model: "Model", drive: str) -> bool:
    """Whether a drive that stands still at home moves at its neighbours."""
    link = next(d.link for d in model.mechanism.drives if d.name == drive)
    rates = model.assembly.free_motions[1:, model.mechanism.links[link].u]
    return bool(rates.size and np.abs(rates).max() > NEAR_SINGULAR)


def demand_determined(model: "Model", prescribed: Sequence[str]) -> None:
    """Refuse hybrid dynamics of fewer velocities than there are drives, unless the description says how drives share."""
    drives = model.mechanism.drives
    shares = model.robot.drive_sharing is not None or any(d.weight is not None for d in drives)
    if 0 < len(prescribed) < len(drives) and not shares:
        raise UsageError(
            f"hybrid_dynamics: {len(prescribed)} prescribed velocities for {len(drives)} drives "
            f"({', '.join(model.layout.drive_names)}): they do not determine the forces. Prescribe as many, or say how "
            "drives share: `drive_sharing: least_norm`, or a `weight` on every drive."
        )


def tell_idle(model: "Model") -> None:
    """Say which freedoms are idle and not named as meant, and which of them are held because nothing accelerates them."""
    layout = model.layout
    named = {*model.robot.idle, *(() if isinstance(model.velocities, str | None) else model.velocities)}
    if set(layout.idle_names) <= named:
        return
    still = [layout.v_names[k] for k in model.mechanism.selection.without_inertia if k >= layout.mobility]
    held = f" ({'' if len(still) == layout.v_idle else _listed(still) + ': '}held, without inertia)" if still else ""
    warn(
        f"{model.robot.name}: idle freedoms, which no drive moves and no closure fixes: {_listed(layout.idle_names)}{held}; "
        f"their accelerations are results (idle_acceleration). If they are meant, say `idle: [{', '.join(_starred(layout))}]`; "
        f"else add a drive, or take a joint with fewer freedoms.{open_chain_words(model)}",
        IdleWarning,
    )


def _starred(layout: Layout) -> list[str]:
    """The idle rates as a description names them, those of many legs by one name with a star."""
    own, known = layout.idle_names, layout.u_names
    whole = {name: re.sub(r"^([A-Za-z_]+)[0-9]+\.", r"\1*.", name) for name in own}
    return list(
        dict.fromkeys(f'"{x}"' if set(names_like(x, known)) <= set(own) and x != n else n for n, x in whole.items())
    )


def check_home_pose(model: "Model") -> None:
    """Say how far the platform's freedoms let it come to the stated home pose."""
    stated = model.robot.home.pose
    if stated is None or not model.mechanism.has_platform:
        return
    off = pose_difference(pose_array(stated), model.home[:7])
    moved, turned = float(np.linalg.norm(off[:3])), float(np.linalg.norm(off[3:]))
    if moved < SAME_POSE * model.size and turned < SAME_POSE:
        return
    if max(moved / model.size, turned) < slack(model) / OF_DIRECTIONS:
        return  # within the stated tolerance of the loops
    text = (
        f"{model.robot.name}: the platform cannot take home.pose; the loops close {moved * 1e3:.4g} mm and "
        f"{np.degrees(turned):.3g} deg away from it"
    )
    if moved > FAR_POSE * model.size or turned > FAR_POSE:
        raise StructureError(f"{text}, which is another place. Give a home.pose that can be assembled.")
    warn(f"{text}; home is there. Give that pose to have it exact.", HomeWarning)


def check_home_joints(model: "Model") -> None:
    """Say which stated joint coordinates were not kept. Guesses may be off a little; `gough check` tells of those too."""
    moved = not_kept(model.mechanism, model.robot, model.home)
    if moved and moved[0][0] > GUESSED:
        more = f" and {len(moved) - MOST_TOLD} more" if len(moved) > MOST_TOLD else ""
        screws = uncounted_screws(model.mechanism, model.robot)
        counted = f". Not in home.joints and guessed too: the turns of {_listed(screws)}" if screws else ""
        warn(
            f"{model.robot.name}: home.joints as stated do not close the loops, home is elsewhere: "
            f"{'; '.join(text for _, text in moved[:MOST_TOLD])}{more}. Give what was taken, or better guesses{counted}.",
            HomeWarning,
        )


def check_springs(model: "Model") -> None:
    """A spring between points that are always the same has no direction; one whose points meet at home has none there."""
    if not model.mechanism.springs:
        return
    samples = np.concatenate([model.home[None], model.sampled_states["q"]])
    lengths = model.function("spring_lengths").values(q=samples, parameters=model.parameters)["length"]
    for k, spring in enumerate(model.mechanism.springs):
        if not (lengths[:, k] > COINCIDE * model.size).any():
            raise StructureError(
                f"{model.robot.name}: spring {spring.name}: its two points coincide wherever the robot is: it has no direction "
                f"and does nothing. Give `from` or `to` another position, or leave it out."
            )
        slack = spring.law.is_slack(0.0, model.parameters[list(spring.coefficients)].tolist())
        directed = not all(i in model.pattern for i in spring.coefficients[1:])  # else its force is stiffness × line
        directed &= spring.clearance is None and not (slack is not None and slack > 0)
        if directed and not lengths[0, k] > COINCIDE * model.size:
            warn(
                f"{model.robot.name}: spring {spring.name}: its two points coincide at home, where its force has no direction: "
                f"nothing can be computed there. Give another home, `from` or `to` another position, or it a `clearance`.",
                HomeWarning,
            )


def check_home(model: "Model") -> None:
    """A home that was moved far is refused; one that was moved, violates limits or is singular is said."""
    check_home_pose(model)
    check_home_joints(model)
    violated = model.limit_margins(model.home).violated()
    if violated:
        warn(f"{model.robot.name}: home violates limits: {', '.join(violated)}", HomeWarning)
    mechanism = model.mechanism
    drives = [mechanism.links[d.link].u for d in mechanism.drives]
    if len(drives) < model.mobility or (not mechanism.rows and drives == list(mechanism.selection.independent)):
        return  # nothing to be held, or a tree that is led by its drives, which is regular everywhere
    measure = model.singularity(model.home)
    if not measure.parallel > NEAR_SINGULAR:
        warn(
            f"{model.robot.name}: home is at or near a parallel singularity (reciprocal condition {measure.parallel:.2g}); "
            f"{lost_direction(model, model.home, Status.SINGULAR.at(Site.DRIVES))}. Give another home.",
            SingularHomeWarning,
        )
    folded = np.flatnonzero(~(measure.serial > NEAR_SINGULAR))
    if len(folded):
        names = ", ".join(measure.serial_names[k] for k in folded)
        warn(
            f"{model.robot.name}: at home these loops are at or near a serial singularity: {names}",
            SingularHomeWarning,
        )


def condition_doubts(model: "Model") -> list[str]:
    """Sentences about a home that is no singular pose but near one, and about an inverse model of a flexible robot that is."""
    if len(model.mechanism.drives) < model.mobility or not model.mobility:
        return []
    measure, found = model.singularity(model.home), []
    parallel, inverse = float(measure.parallel), float(measure.inverse)
    if NEAR_SINGULAR < parallel < DOUBTFUL:
        found.append(
            f"home is near a parallel singularity: reciprocal condition {parallel:.2g}, where {DOUBTFUL:g} and more is usual; "
            f"{lost_direction(model, model.home, Status.SINGULAR.at(Site.DRIVES))}, or hardly. Is home meant to be there?"
        )
    near = [k for k, x in enumerate(measure.serial) if NEAR_SINGULAR < x < DOUBTFUL]
    if near:
        told = ", ".join(f"{measure.serial_names[k]} ({measure.serial[k]:.2g})" for k in near[:MOST_TOLD])
        found.append(
            f"home is near a serial singularity of {told}: reciprocal condition, where {DOUBTFUL:g} and more is usual. Is home "
            "meant to be there?"
        )
    if model.layout.v_elastic and not inverse > DOUBTFUL * parallel:
        found.append(
            f"the inverse model of the flexible robot is nearly singular at home: reciprocal condition {inverse:.2g}, while that "
            f"of its drives is {parallel:.2g}. Bodies that bend give way before the floating frame follows: inverse dynamics "
            "and computed torque of poses ask for forces that no drive has. Lead the drives instead (gough.laws.drives_of); see "
            "gough.zero_dynamics"
        )
    return found


def motion_doubts(model: "Model") -> list[str]:
    """Sentences about motions that can hardly be meant: drives that move nothing, a platform that stands still."""
    mechanism = model.mechanism
    samples = np.concatenate([model.home[None], model.sampled_states["q"][:NEIGHBOURS]])
    found = []
    if mechanism.cuts:
        on_loops = {i for cut in mechanism.cuts for i in ring_of(mechanism, cut)}
        closures = np.abs(scaled_closures(model, samples)).max(axis=(0, 1))
        idle = [d.name for d in mechanism.drives if d.link in on_loops and closures[mechanism.links[d.link].u] < LOCKED]
        if idle:
            found.append(
                f"{_listed(idle)}: turning the drive moves no loop that its body is part of: the next joint lies on its axis. "
                "Is the axis meant to lie along the link? Change the axis, or where the next joint is placed."
            )
    if mechanism.has_platform and model.mobility:
        moves = tree_rates(model, samples, model.parameters[None])[:, :6, : model.mobility]
        size = np.where(np.arange(6) < 3, model.size, 1.0)[:, None]
        own = np.array([model.size if unit == "m/s" else 1.0 for unit in model.layout.v_units[: model.mobility]])
        if np.abs(moves / size * own).max() < LOCKED:
            found.append(
                f"the platform cannot move: none of the {model.mobility} freedoms ({_listed(model.layout.v_names)}) moves it. "
                "Check the axes of the driven joints and the joints of the legs."
            )
    return found


def inertia_doubts(model: "Model") -> list[str]:
    """Sentences about velocities without inertia that something pushes or brakes: such states are bad."""
    layout, still = model.layout, model.mechanism.selection.without_inertia
    if not still:
        return []
    samples = np.concatenate([model.home[None], model.sampled_states["q"][:NEIGHBOURS]])
    forward, pushed, braked = model.function("forward_dynamics"), list[str](), list[str]()
    given = {slot.name: np.zeros(slot.shape) for slot in forward.program.inputs}
    given |= {"q": samples, "parameters": model.parameters}
    for k in still:
        name, moving = layout.v_names[k], np.zeros(layout.nv)
        moving[k] = 1.0
        for v, found in ((0.0 * moving, pushed), (moving, braked)):
            failures = forward(**{**given, "v": v}).failures
            if name not in (*pushed, *braked) and any(f.site == Site.NO_INERTIA and f.place == name for f in failures):
                found.append(name)
    why = "nothing has inertia in this motion, so that no acceleration is right"
    remedy = "Give what it moves an inertia (its body, or `armature` of the joint), or leave friction and springs out."
    told = []
    if pushed:
        told.append(f"{_listed(pushed)}: a force acts along it, but {why}: states there are bad. {remedy}")
    if braked:
        told.append(
            f"{_listed(braked)}: friction or damping acts along it, but {why}: states in which it moves are bad. {remedy}"
        )
    return told


def _listed(names: Sequence[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def no_pose(model: "Model") -> str:
    """Why a pose alone is no input of a function, and what is."""
    name, of_q = model.robot.name, "take the function of q, with q = model.configuration"
    if not model.mechanism.has_platform:
        return f"{name} has no platform, so no pose; {of_q}(drives=…)"
    if model.mobility < 6:
        return f"the platform of {name} has {model.mobility} freedoms, so most poses are not its own; {of_q}(pose=…)"
    if not model.mechanism.leads_from_platform:
        return f"{name} is led by {', '.join(model.layout.v_names)}, not by its platform; {of_q}(pose=…)"
    return f"joints of {name} have no closed form in the pose; {of_q}(pose=…)"


def check_options(free: Sequence[str], velocities: str | Sequence[str] | None, precision: str) -> None:
    """Refuse arguments of `build` that cannot be right for any robot."""
    if isinstance(free, str):
        raise UsageError(f"free={free!r}; give a list of names, for instance free=[{free!r}]")
    if not (velocities is None or isinstance(velocities, str | Sequence)) or (
        isinstance(velocities, str) and velocities not in ("platform", "drives", "any")
    ):
        raise UsageError(f"velocities={velocities!r}; use 'platform', 'drives', 'any' or a list of names")
    if velocities is not None and not isinstance(velocities, str):
        again = [name for name, count in Counter(velocities).items() if count > 1]
        if again:
            raise UsageError(f"velocities={list(velocities)!r}: {', '.join(again)} twice; name every velocity once")
    if precision not in PRECISIONS:
        raise UsageError(f"precision={precision!r}; use one of {', '.join(PRECISIONS)}")
