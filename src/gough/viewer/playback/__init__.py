"""Numbers behind the playback of runs: clock, frames, traces, arrows, curves. Nothing here knows of pages."""
