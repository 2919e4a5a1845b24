"""The command `gough`, and `python -m gough`."""

import sys

INTERRUPTED = 130


def run_command() -> None:
    """Run the application; an interrupt while its modules load ends in a word too, not in a traceback."""
    has_begun = bool  # nothing has, until it is there
    try:
        from gough.cli.failure import has_begun
        from gough.cli.main import app

        app(prog_name="gough")
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        raise SystemExit(INTERRUPTED) from None
    except SystemExit as end:
        if end.code == INTERRUPTED and not has_begun():  # else the command has said it
            sys.stderr.write("interrupted\n")
        raise


if __name__ == "__main__":
    run_command()
