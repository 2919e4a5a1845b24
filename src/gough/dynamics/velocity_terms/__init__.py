"""What velocities do: momentum and its change, forces of velocity for one motion along another."""
