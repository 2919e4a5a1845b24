"""Elastic numbers of a robot from its vibrations: natural frequencies, frequency responses, decays.

`_unknowns` and `_bodies`: what may be found, and how a design follows it. `_rest`: the linear robot and its exact slopes.
`_eigen`: eigenvalues, `_pairing`: which is which. `_channels`: sensors and forces. `_subspace`: poles of a record.
`_least_squares`: the search and its deviations, `_problem`: what the fits share. `frequencies`, `responses`, `decays`: the fits,
`_ambiguity`: other numbers that explain as much. `fit`: their result, `_writing`: a robot of it.
"""

from gough.identification.elastic._channels import read_channels
from gough.identification.elastic._eigen import common_basis, group_slopes, poles, square_slopes, vibration
from gough.identification.elastic._rest import resting_robot
from gough.identification.elastic._subspace import poles_of_record
from gough.identification.elastic._unknowns import choose_elastic, map_design
from gough.identification.elastic._writing import write_numbers
from gough.identification.elastic.decays import fit_decay
from gough.identification.elastic.fit import ElasticFit
from gough.identification.elastic.frequencies import fit_frequencies
from gough.identification.elastic.responses import fit_response, linear_response

__all__ = [
    "ElasticFit",
    "choose_elastic",
    "common_basis",
    "fit_decay",
    "fit_frequencies",
    "fit_response",
    "group_slopes",
    "linear_response",
    "map_design",
    "poles",
    "poles_of_record",
    "read_channels",
    "resting_robot",
    "square_slopes",
    "vibration",
    "write_numbers",
]
