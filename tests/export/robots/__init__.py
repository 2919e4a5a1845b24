"""Robots written as files of other programs."""
