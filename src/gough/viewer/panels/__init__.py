"""The tabs of a page, one file each."""
