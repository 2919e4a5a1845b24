"""[Briot 2014]: DualEMPS, a planar robot with flexible legs."""
