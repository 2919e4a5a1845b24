"""`python -m gough`."""

from gough.cli.main import app

if __name__ == "__main__":
    app(prog_name="gough")
