"""Other libraries: MuJoCo and Pinocchio for the tree of any mechanism, Exudyn for planar flexible ones."""
