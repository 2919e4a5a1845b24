"""Flexible bodies as other codes give them: modes at nodes that carry the mass."""
