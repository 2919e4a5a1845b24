"""Pages and figures of studies."""
