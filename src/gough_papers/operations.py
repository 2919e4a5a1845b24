"""Operation counts the papers print, with what they cover, and which program of the library is set beside each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperCount:
    """add, mul, div of one quantity. together: mul and div are printed as one number, given as mul, div is 0.

    counted: what is counted here beside it: a function of the catalogue; "coordinate_mass_matrix",
    "coordinate_coriolis_matrix" or "coordinate_terms" (both), in x y z yaw pitch roll; "mass_and_bias" (M and h); "" where the
    library has nothing of the same scope.
    scope: what the printed number covers. here: how the program beside it differs. printed: False for a reference that no
    paper prints. baked: the design's numbers in place of symbols.
    """

    robot: str
    quantity: str
    source: str
    add: int
    mul: int
    div: int
    counted: str
    scope: str
    here: str
    together: bool = False
    printed: bool = True
    baked: bool = True

    @property
    def operations(self) -> int:
        """Additions, multiplications and divisions."""
        return self.add + self.mul + self.div


_TABLE_1 = (
    "complete model, sums of the platform's, actuators' and links' own matrices, gravity left out; how it was counted is "
    "not stated"
)
_BY_HAND = "formulation made by hand for this one robot, numeric parameters; not printed in the paper"
_EULER = "in x y z yaw pitch roll; joint coordinates known, numeric parameters, sines and cosines apart"

_DIRECT = "complete direct model, parameters as symbols, zeros folded; joint angles and rates known, no friction"

COUNTS = (
    PaperCount(
        "lopes", "inertia matrix I_E", "[Lopes, Table 1]", 1611, 3270, 60, "coordinate_mass_matrix", _TABLE_1, _EULER
    ),
    PaperCount(
        "lopes",
        "inertia matrix I_E",
        "made by hand",
        192,
        235,
        6,
        "coordinate_mass_matrix",
        _BY_HAND,
        _EULER,
        printed=False,
    ),
    PaperCount(
        "lopes",
        "Coriolis matrix V_E",
        "[Lopes, Table 1]",
        20924,
        36733,
        108,
        "coordinate_coriolis_matrix",
        _TABLE_1,
        _EULER + "; Christoffel symbols, with all they need of I_E",
    ),
    PaperCount(
        "lopes",
        "Coriolis matrix V_E",
        "made by hand",
        379,
        514,
        6,
        "coordinate_coriolis_matrix",
        _BY_HAND,
        _EULER + "; Christoffel symbols, with all they need of I_E",
        printed=False,
    ),
    PaperCount("lopes", "I_E and V_E", "[Lopes, Table 1]", 22535, 40003, 168, "coordinate_terms", _TABLE_1, _EULER),
    PaperCount(
        "lopes",
        "drive forces from I_E and V_E",
        "[Lopes, Table 1]",
        22535,
        40003,
        168,
        "inverse_dynamics",
        _TABLE_1 + "; products with the motion, gravity and the solve come on top",
        "drive forces of a motion without forming matrices, gravity and the 6 x 6 solve included; numeric parameters, joint "
        "coordinates known",
    ),
    PaperCount(
        "lopes",
        "inverse dynamics",
        "made by hand",
        274,
        292,
        11,
        "inverse_dynamics",
        _BY_HAND + "; its 6 x 6 solve included",
        "the general method; 6 x 6 solve included; numeric parameters, joint coordinates known",
        printed=False,
    ),
    PaperCount(
        "dualemps",
        "dynamic model of the flexible robot",
        "[Briot 2014, §4.4]",
        1287,
        1555,
        0,
        "forward_dynamics",
        "1041 intermediate variables; whether inverse or direct model, and which parameters are symbols, is not stated",
        _DIRECT,
        together=True,
        baked=False,
    ),
    PaperCount(
        "dualemps",
        "mass matrix and bias force",
        "the paper's algorithm, common terms shared",
        667,
        851,
        0,
        "mass_and_bias",
        "the paper's own recursion and projection, upper triangle of M, parameters symbolic; not printed in the paper",
        "both from one program, parameters as symbols, zeros folded, work on parameters alone set apart; no friction",
        together=True,
        printed=False,
        baked=False,
    ),
    PaperCount(
        "dualemps",
        "complete direct model",
        "made by hand",
        506,
        646,
        0,
        "forward_dynamics",
        "tree form made by hand for this one robot, parameters symbolic, zeros folded; not printed in the paper",
        _DIRECT,
        together=True,
        printed=False,
        baked=False,
    ),
)


def counts_of(robot: str) -> tuple[PaperCount, ...]:
    """Printed counts and references for a robot, by its name."""
    return tuple(c for c in COUNTS if c.robot == robot)
