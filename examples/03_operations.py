"""How many operations does a model cost? The robot of [Lopes], complete and simplified.

Expected: fewer than the paper's own counts for the complete model, additions + multiplications + divisions: 1611 +
3270 + 60 for its inertia matrix and 20924 + 36733 + 108 for its Coriolis matrix [Lopes, Table 1]. Scopes differ: the
paper has poses and Euler rates as inputs, here joint coordinates are known; the inverse dynamics here are complete,
gravity and the solution for the drives included. The simplified model costs less than the complete one.
"""

import gough

PAPER_INERTIA = 1611 + 3270 + 60
PAPER_CORIOLIS = 20924 + 36733 + 108
AT_MOST = {
    "mass matrix": PAPER_INERTIA,
    "inverse dynamics": PAPER_INERTIA + PAPER_CORIOLIS,
    "inverse dynamics, numbers baked in": PAPER_INERTIA + PAPER_CORIOLIS,
    "inverse dynamics, simplified model": PAPER_INERTIA + PAPER_CORIOLIS,  # of its complete model
}


def main():
    model, simple = gough.build("lopes"), gough.build("lopes_simplified")
    print(model.count("inverse_dynamics"))
    baked = model.count("inverse_dynamics", baked=True)  # all parameters as numbers
    text = model.function("inverse_dynamics").text()
    print("\n".join(text.splitlines()[:12]))  # the program is readable, with its sources
    return {
        "mass matrix": model.count("mass_matrix").operations,
        "inverse dynamics": model.count("inverse_dynamics").operations,
        "inverse dynamics, numbers baked in": baked.operations,
        "inverse dynamics, simplified model": simple.count("inverse_dynamics").operations,
    }


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name}: {value} operations, the paper {AT_MOST[name]}")
        assert value < AT_MOST[name]
