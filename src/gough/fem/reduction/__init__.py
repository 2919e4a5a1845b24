"""From finite elements to a flexible body with few coordinates."""
