"""Long, Khalil, Martinet 2014: `legs` (eqs. 1-10, tables), `platform` (11-49, flexible or rigid); `path` and `robots` to run."""
