"""The pages are programs: every block of README.md and docs/*.md runs and prints what the page shows."""
