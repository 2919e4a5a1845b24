"""Does a model obey the laws it must: states to try it on, the laws, the balance of momentum."""
