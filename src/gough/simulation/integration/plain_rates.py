"""Which entries of q have an entry of v as their rate, as they stand."""

from gough.structure import Mechanism


def plain_rates(mechanism: Mechanism) -> list[tuple[int, int]]:
    """(entry of q, entry of v that is its rate) for all entries of v that are rates of coordinates as they stand."""
    of_column: dict[int, int] = {}
    for link in mechanism.links:
        of_column |= {rate: place for place, rate in link.plain}
        if link.elastic is not None:
            places = range(mechanism.layout.nq)[link.elastic.coordinates]
            of_column |= dict(zip(link.elastic.columns, places, strict=True))
    own = mechanism.selection.independent
    return [(of_column[u], i) for i, u in enumerate(own) if u in of_column]


def elastic_places(mechanism: Mechanism) -> list[int]:
    """Entries of q of the elastic rates in v, in the order of v."""
    first = mechanism.layout.mobility
    return [place for place, entry in plain_rates(mechanism) if entry >= first]


def drive_of_entries(mechanism: Mechanism) -> list[int] | None:
    """Drive of every rigid entry of v where these are the drives' rates, in any order; None where they are not."""
    columns = [mechanism.links[d.link].u for d in mechanism.drives]
    rigid = mechanism.selection.independent[: mechanism.layout.mobility]
    return [columns.index(u) for u in rigid] if set(columns) == set(rigid) else None
