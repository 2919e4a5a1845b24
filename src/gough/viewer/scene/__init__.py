"""A robot's nodes in a page's scene."""
