"""Studies: how results depend on the design, and which design is best."""
