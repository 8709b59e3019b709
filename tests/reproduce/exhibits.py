"""Looking figures up in a study."""

from ordeval.reproduce import Comparison, Exhibit, Study


def cells_of(study: Study, exhibit: str) -> list[Comparison]:
    """The figures of one exhibit."""
    return list(next(e for e in study.exhibits if e.key == exhibit).comparisons)


def exhibit_of(study: Study, key: str) -> Exhibit:
    return next(e for e in study.exhibits if e.key == key)
