"""Files of other programs: meshes, matrices, modes."""
