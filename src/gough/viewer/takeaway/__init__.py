"""Files to take away: a page that plays by itself, pictures, videos."""
