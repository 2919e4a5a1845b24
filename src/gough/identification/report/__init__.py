"""The report of an identification: a page with figures, for any browser."""

from gough.identification.report._figures import draw_forces as draw_forces
from gough.identification.report._figures import draw_parameters as draw_parameters
from gough.identification.report._figures import residuals_of as residuals_of
from gough.identification.report.page import report_page as report_page
