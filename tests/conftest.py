"""What every test shares: reproducible randomness, hypothesis profiles, a matplotlib without a window; which cases are quick,
and what quick tests cost."""

import gc
import os
import sys
import zlib
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from reference.limits import turn_limits

os.environ.setdefault("MPLBACKEND", "Agg")
# Kept even where the surroundings keep none: each worker and each `gough` of a test would compile all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No deadline: the first example of a model compiles it.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


QUICK = 3.0
"""CPU seconds: a quick test that takes more is named at the end of a run."""
COST = pytest.StashKey[float]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`@pytest.mark.quick_cases("a", "b")`: the other cases of the function are slow."""
    named, seen = set[tuple[str, str]](), set[tuple[str, str]]()
    for item in items:
        mark = item.get_closest_marker("quick_cases")
        if mark is None:
            continue
        function, _, case = item.nodeid.partition("[")
        named |= {(function, quick) for quick in mark.args}
        seen.add((function, case.removesuffix("]")))
        if case.removesuffix("]") not in mark.args:
            item.add_marker(pytest.mark.slow)
    unknown = named - seen
    if unknown and not any("::" in chosen for chosen in config.args):
        raise pytest.UsageError(f"quick_cases names cases that do not exist: {sorted(unknown)}")


def cpu_seconds() -> float:
    """CPU time of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[COST] = cpu_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    if call.when == "teardown":
        report.user_properties.append(("cpu", cpu_seconds() - item.stash[COST]))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What the quick tests took, and which of them should be made cheaper or marked slow. Nothing fails for it."""
    reports = [r for found in terminalreporter.stats.values() for r in found if getattr(r, "when", "") == "teardown"]
    costs = {r.nodeid: dict(r.user_properties).get("cpu", 0.0) for r in reports if "slow" not in r.keywords}
    dear = sorted((cost, test) for test, cost in costs.items() if cost > QUICK)
    if len(costs) > 1000 or dear:
        terminalreporter.section("CPU time of quick tests")
        terminalreporter.line(f"{sum(costs.values()):.0f} s in all, {len(dear)} of them above {QUICK:.0f} s")
    for cost, test in reversed(dear):
        terminalreporter.line(f"{cost:6.1f} s  {test}: make it cheaper, or mark it slow")


def pytest_collection_finish() -> None:
    """What collecting made stays until the end: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on the test's name only."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Turns inner limits for one test: `limits(newton_columns=0)`, see `reference.limits`."""
    return turn_limits(monkeypatch)
