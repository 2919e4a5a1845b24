"""What to know when reading the table of rivals: what stands beside what, when answers are wrong and why, how it is made."""

from typing import Any

from gough_bench.peer import EXACT
from gough_bench.report import BUSY
from gough_bench.run import PEERS

SCALAR = (("Pinocchio C++", ""), ("generalized_rbda C++", ""), ("MuJoCo", "rollout"))
"""(rival, how its call begins) of those whose batch is a loop in C or C++ that computes one state after the other."""
_STEPPING = (
    "time stepping: velocities of a loop are held as it stands now, without the term that moving loops add (K̇ u): right at rest, "
    "wrong in motion; over many steps stabilisation makes up for it"
)
WHY_WRONG = {
    ("MuJoCo", "mj_inverse"): (
        "a motion that keeps the loops closed loads no soft constraint, so the forces in the loops are missing and what is left "
        "is no drive force"
    ),
    ("MJX", ""): _STEPPING,
    ("MuJoCo Warp", ""): _STEPPING,
    ("Drake", "one discrete step"): _STEPPING,
}
"""Why answers are wrong, by rival and how its call begins."""
_DENSE = (("Drake", "CalcMassMatrix"), ("generalized_rbda C++", ""), ("Pinocchio", "constraintDynamics"))
_LONG_CHAIN = "four_bars_200"
PACKAGES = {
    "Pinocchio C++": ("pin", "cmeel-eigen"),
    "Pinocchio Python": ("pin",),
    "MuJoCo": ("mujoco",),
    "MJX": ("mujoco", "mujoco-mjx", "jax"),
    "MuJoCo Warp": ("mujoco", "mujoco-warp"),
    "Drake": ("drake",),
    "Exudyn": ("exudyn",),
    "generalized_rbda C++": ("generalized_rbda",),
}
"""What a rival's figures depend on."""


def is_scalar_loop(row: dict[str, Any]) -> bool:
    """Whether the row is a loop over states in C or C++, one at a time."""
    return any(row["peer"] == peer and row["call"].startswith(call) for peer, call in SCALAR)


def why_wrong(row: dict[str, Any]) -> str:
    """In a line, where it is known."""
    found = (why for (peer, call), why in WHY_WRONG.items() if row["peer"] == peer and row["call"].startswith(call))
    return next(found, "")


def out_of_place(robot: str, row: dict[str, Any]) -> str:
    """Where a rival's algebra is not made for the robot."""
    dense = any(row["peer"].startswith(peer) and row["call"].startswith(call) for peer, call in _DENSE)
    return "dense algebra, not its intended use" if dense and robot == _LONG_CHAIN else ""


def known_versions(versions: dict[str, str], peers: set[str]) -> dict[str, str]:
    """Versions of gough's own packages and of those that rivals with a row depend on."""
    wanted = {"gough", "numpy", "llvmlite", *(name for peer in peers for name in PACKAGES.get(peer, ()))}
    return {name: found for name, found in versions.items() if name in wanted}


def reading_lines(result: dict[str, Any]) -> list[str]:
    """How to read the page, as a list."""
    figures = [f for made in result["robots"].values() for f in made["functions"].values()]
    batches = sorted({f["batch"] for f in figures if "batch" in f})
    rows = [row for f in figures for row in f.get("rows", ())]
    wrong: dict[str, set[str]] = {}
    for row in rows:
        if row["reason"].startswith("wrong answer"):
            wrong.setdefault(why_wrong(row), set()).add(f"{row['peer']} ({row['call']})")
    lanes, count = result["machine"]["lanes"], ", ".join(map(str, batches)) or "no"
    lines = [
        f"""C and C++ rivals run one state after the other, in scalar code; gough's batch runs as many at once as the CPU's
vectors have lanes ({lanes} here). Where there is a figure, the ratio to gough's exported C, which also takes one state at a time,
stands second: `51×, C 23×`.""",
        f"A batch of gough's has {count} states (`batch` in rivals.json).",
        """Inverse dynamics of closed loops has thin competition: no rival has a call that gives the drive forces; the routes are
composed by us from what each of them has (`mj_inverse` alone is theirs, and wrong here).""",
        _tolerances(),
        f"`?`: doubtful, the median lies more than {100 * BUSY:.0f} % above the best time; the machine was busy.",
        *(f"{', '.join(sorted(who))}: {why}." for why, who in wrong.items() if why),
    ]
    if _LONG_CHAIN in result["robots"]:
        chain = f"`{_LONG_CHAIN}`: Pinocchio's constraintDynamics, Drake's composed route and generalized_rbda (one cluster)"
        lines.append(f"{chain} do dense algebra with all its loops, which is not their intended use.")
    lines = [" ".join(line.split()) for line in lines]
    return [*(f"- {line}" for line in lines), "", _again(result)]


def _tolerances() -> str:
    allowed: dict[float, list[str]] = {}
    for name, peer in PEERS.items():
        if peer.tolerance > EXACT:
            allowed.setdefault(peer.tolerance, []).append(name)
    others = "; ".join(f"{limit:g} for {', '.join(names)}" for limit, names in sorted(allowed.items()))
    return f"**wrong**: the largest relative difference is above {EXACT:g}, or above what is allowed to other methods ({others})."


def _again(result: dict[str, Any]) -> str:
    commit = result["machine"]["versions"].get("generalized_rbda")
    source = "GRBDA_SOURCE=CHECKOUT " if commit else ""
    at = f", CHECKOUT is github.com/ROAM-Lab-ND/generalized_rbda at {commit}" if commit else ""
    return (
        f"Made by `{source}gough bench --rivals --out benchmarks`, with `pip install 'gough[rivals]'` and, for Drake, "
        f"`benchmarks/requirements-drake.txt`{at}; the page from stored figures by "
        "`python -c \"from gough_bench.rivals_report import rewrite_page; rewrite_page('benchmarks')\"`."
    )
