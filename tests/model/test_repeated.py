"""A function evaluated again where only loads change: the same to the last bit as the whole of it, verdicts included."""

import numpy as np
import pytest

import gough
from gough.compilation import repeated

LOADS = ("wrench", "force")


def state(model: gough.Model, rng: np.random.Generator, far: float) -> dict[str, np.ndarray]:
    layout = model.layout
    sizes = {"q": layout.nq, "v": layout.nv, "acceleration": layout.mobility, "wrench": 6, "force": layout.nv}
    slots = [s.name for s in model.function("inverse_dynamics").program.inputs if s.name != "parameters"]
    out = {slot: far * rng.standard_normal(sizes[slot]) for slot in slots}
    return out | {"q": model.home + out["q"], "parameters": model.parameters}


@pytest.mark.quick_cases("long2014", "pedrammehr2012")
@pytest.mark.parametrize("robot", ["pedrammehr2012", "delta_flexible", "long2014"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_again_is_the_whole(robot: str) -> None:
    rng, model = np.random.default_rng(0), gough.build(robot)
    function = model.function("inverse_dynamics")
    loads = repeated.RepeatedFunction(function, LOADS)
    verdicts = set()
    for far in (0.0, 1e-6, 0.5, np.nan):
        given = state(model, rng, far)
        again = loads.at(given)
        assert again is not None
        for size in (0.0, 1.0, 1e3, 1e300, np.inf, np.nan):
            changed = {s: size * rng.standard_normal(len(given[s])) for s in LOADS if s in given}
            found, whole = again(**changed), function(**(given | changed))
            verdicts.add(bool(whole.good))
            for slot, expected in whole.outputs.items():
                assert found[slot].tobytes() == expected.tobytes() or (
                    np.isnan(expected).all() and np.isnan(found[slot]).all()
                )
    assert verdicts == {True, False}


def test_machine_code_is_not_replaced() -> None:
    model = gough.build("five_bar")
    function = model.function("inverse_dynamics")
    given = state(model, np.random.default_rng(0), 0.0)
    loads = repeated.RepeatedFunction(function, LOADS)
    assert loads.at(given) is not None
    function.compile()
    assert loads.at(given) is None


def test_designs_of_another_structure_are_refused() -> None:
    model = gough.build("five_bar")
    given = state(model, np.random.default_rng(0), 0.0)
    other = model.parameters.copy()
    other[next(k for k, x in model.pattern.items() if x == 0.0)] = 0.3
    with pytest.raises(gough.UsageError):
        repeated.RepeatedFunction(model.function("inverse_dynamics"), LOADS).at(given | {"parameters": other})
