"""Slopes of formulas beside mpmath's own derivatives."""

import mpmath
import pytest

from gough.scalar import FormulaNode, slopes

X, Y = FormulaNode("variable", ("x",)), FormulaNode("variable", ("y",))
AT = {"x": 0.7, "y": -1.3}


def node(op, *args):
    return FormulaNode(op, args)


FORMULAS = {
    "x + y": (node("add", X, Y), lambda x, y: x + y),
    "x - 2": (node("sub", X, 2.0), lambda x, y: x - 2),
    "3 / x": (node("div", 3.0, X), lambda x, y: 3 / x),
    "x y / (x - y)": (node("div", node("mul", X, Y), node("sub", X, Y)), lambda x, y: x * y / (x - y)),
    "|y| - x": (node("sub", node("abs", Y), node("neg", X)), lambda x, y: abs(y) + x),
    "sin(x) cos(y)": (node("mul", node("sin", X), node("cos", Y)), lambda x, y: mpmath.sin(x) * mpmath.cos(y)),
    "sqrt(x)": (node("sqrt", X), lambda x, y: mpmath.sqrt(x)),
    "atan2(y, x)": (node("atan2", Y, X), lambda x, y: mpmath.atan2(y, x)),
    "y > 0 ? x : x y": (node("select", Y, X, node("mul", X, Y)), lambda x, y: x * y),
    "x > 0 ? x x : y": (node("select", X, node("mul", X, X), Y), lambda x, y: x * x),
}


@pytest.mark.parametrize("text", FORMULAS)
def test_every_operation(text):
    formula, plain = FORMULAS[text]
    with mpmath.workdps(40):
        for k, name in enumerate(AT):
            truth = mpmath.diff(plain, tuple(map(mpmath.mpf, AT.values())), tuple(int(i == k) for i in range(2)))
            assert slopes.formula_slopes([formula], AT, name) == [pytest.approx(float(truth), rel=1e-15, abs=1e-15)]


def test_a_root_at_zero_has_no_slope_unless_nothing_moves_it():
    assert slopes.formula_slopes([node("sqrt", node("sub", X, 0.7))], AT, "y") == [0.0]


def test_parts():
    x = slopes.as_number(complex(2.0, 3.0 * slopes.STEP))
    assert slopes.has_slopes(x) and not slopes.has_slopes(slopes.as_number(2))
    power = x**3
    assert slopes.real_part(power) == 8.0 and slopes.slope_part(power) / slopes.STEP == pytest.approx(36.0, rel=1e-15)
