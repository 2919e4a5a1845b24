"""What `gough show` tells of a robot's structure: as data, and its loops in tables."""
