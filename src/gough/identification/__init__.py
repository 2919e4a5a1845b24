"""Identification: from measured motion to the numbers of a robot; what of them a motion can tell, and how well."""
