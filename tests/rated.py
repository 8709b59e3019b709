"""Ratings from any door as Data, for tests of reading."""

from typing import Any

import ordeval as oe
from ordeval.evaluation.ratings import named_raters, rated_data
from ordeval.options import PanelRead, RowOptions, TextFileOptions, defaults


def read_ratings(
    data: Any = None, ratings: Any = None, raters: Any = None, **options: Any
) -> oe.Data:
    """Return ratings in memory, or with `data` of a frame or a file."""
    return with_kinds(data, ratings, raters, **options)[0]


def with_kinds(
    data: Any = None, ratings: Any = None, raters: Any = None, **options: Any
) -> tuple[oe.Data, dict[str, str]]:
    """Return ratings and the kinds of raters."""
    given = {
        **defaults(PanelRead),
        **defaults(RowOptions),
        **defaults(TextFileOptions),
        **options,
    }
    found, kinds = rated_data(ratings, data, given, raters=named_raters(raters, "ratings"))
    return found, dict(kinds)


def table(data: oe.Data) -> list[list[Any]]:
    """Return the labels by item and rater, None where there is none."""
    labels = (*data.scale.labels, None)
    return [[labels[code] for code in row] for row in data.codes.T.tolist()]


def ids(data: oe.Data) -> tuple[str, ...]:
    """Return the names of the items."""
    assert data.units.ids is not None
    return tuple(map(str, data.units.ids.tolist()))
