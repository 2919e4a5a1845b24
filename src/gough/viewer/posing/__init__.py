"""Numbers behind the live panels: poses tried, forces, modes and map slices; no browser."""
