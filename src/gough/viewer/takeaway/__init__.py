"""Files to take away: a page that plays by itself, pictures, videos."""

from gough.viewer.takeaway.export import SUFFIXES, check_path, export

__all__ = ["SUFFIXES", "check_path", "export"]
