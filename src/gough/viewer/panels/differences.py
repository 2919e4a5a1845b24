"""What two runs differ by, as a table of the page."""

import html

from gough.errors import GoughError
from gough.simulation.results.run import Run


def differences_table(first: Run, second: Run) -> str:
    """HTML: the largest difference of every shared channel, or why there is none."""
    try:
        found = first.compare(second)
    except GoughError as error:
        return f'<div style="font-size:0.8em;padding:0 0.75em">{html.escape(str(error))}</div>'
    rows = "".join(
        f"<tr><td>{html.escape(d.name)}</td><td style='text-align:right'>{d.largest:.3g}</td><td>{html.escape(d.unit)}</td>"
        f"<td style='text-align:right'>{d.time:.4g}</td></tr>"
        for d in found.differences
    )
    head = "<tr style='opacity:0.6'><td>channel</td><td style='text-align:right'>largest</td><td></td><td>at t (s)</td></tr>"
    return f'<table style="font-size:0.8em;width:100%;padding:0 0.75em">{head}{rows}</table>'
