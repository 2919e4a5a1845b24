"""Inner names of `gough.identification`."""

from gough.identification import _standard, data, elastic, excitation, identify, report
from gough.identification.estimation import (
    PSEUDO,
    ClosedLoop,
    EquationPart,
    ForceEquations,
    FreedModel,
    Piece,
    Residuals,
    Rows,
    RowTriangles,
    Thinning,
    block_squares,
    consistent_values,
    inconsistent_names,
    solve_scaled,
    solve_weighed,
    spans,
    spread_matrices,
    stretches,
    whole_bodies,
)

__all__ = [
    "PSEUDO",
    "ClosedLoop",
    "EquationPart",
    "ForceEquations",
    "FreedModel",
    "Piece",
    "Residuals",
    "RowTriangles",
    "Rows",
    "Thinning",
    "block_squares",
    "consistent_values",
    "inconsistent_names",
    "solve_scaled",
    "solve_weighed",
    "spans",
    "spread_matrices",
    "stretches",
    "whole_bodies",
]

choose_elastic, map_design, write_numbers = elastic.choose_elastic, elastic.map_design, elastic.write_numbers
resting_robot, vibration, poles = elastic.resting_robot, elastic.vibration, elastic.poles
common_basis, group_slopes, square_slopes = elastic.common_basis, elastic.group_slopes, elastic.square_slopes
linear_response, poles_of_record, read_channels = (
    elastic.linear_response,
    elastic.poles_of_record,
    elastic.read_channels,
)
clipped_rows, find_hold, find_interpolation = data.clipped_rows, data.find_hold, data.find_interpolation
excitation_problem = excitation.excitation_problem
singular_words = data.singular_words
Prior = _standard.Prior
draw_parameters, report_page = report.draw_parameters, report.report_page
draw_forces, residuals_of = report.draw_forces, report.residuals_of
reference_motion = identify.reference_motion
