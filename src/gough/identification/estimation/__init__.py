"""Estimators: linear equations of samples, least squares, instrumental variables, output error, consistent inertias."""

from gough.identification.estimation._linear import RowTriangles as RowTriangles
from gough.identification.estimation._linear import solve_scaled as solve_scaled
from gough.identification.estimation._linear import solve_weighed as solve_weighed
from gough.identification.estimation.closed_loop import ClosedLoop as ClosedLoop
from gough.identification.estimation.consistent import PSEUDO as PSEUDO
from gough.identification.estimation.consistent import consistent_values as consistent_values
from gough.identification.estimation.consistent import inconsistent_names as inconsistent_names
from gough.identification.estimation.consistent import whole_bodies as whole_bodies
from gough.identification.estimation.freed import FreedModel as FreedModel
from gough.identification.estimation.rows import EquationPart as EquationPart
from gough.identification.estimation.rows import ForceEquations as ForceEquations
from gough.identification.estimation.rows import Piece as Piece
from gough.identification.estimation.rows import Rows as Rows
from gough.identification.estimation.rows import Thinning as Thinning
from gough.identification.estimation.rows import spans as spans
from gough.identification.estimation.rows import stretches as stretches
from gough.identification.estimation.spread import Residuals as Residuals
from gough.identification.estimation.spread import block_squares as block_squares
from gough.identification.estimation.spread import spread_matrices as spread_matrices
