"""Which columns hold what."""

from collections.abc import Iterable, Sequence

from ..errors import InputError, did_you_mean, quoted

RESERVED = ("id", "topic", "weight")  # columns of these names are not taken for systems


def choose_systems(
    columns: Sequence[str],
    gold: str,
    pred: str | Sequence[str] | None,
    others: Iterable[str | None],
    where: str = "",
) -> tuple[str, ...]:
    """The columns of predictions; an unknown column is an error that lists those there are."""
    taken = [name for name in others if name is not None]
    wanted = [pred] if isinstance(pred, str) else list(pred or ())
    for name in (gold, *wanted, *taken):
        require_column(name, columns, where)
    if pred is None:
        wanted = [c for c in columns if c not in (gold, *taken, *RESERVED)]
    if not wanted:
        raise InputError(
            f"{where}no column is left for predictions beside {quoted([gold, *taken])}; "
            f"the columns are {quoted(columns, 20)}."
        )
    repeated = [name for name in dict.fromkeys(wanted) if wanted.count(name) > 1]
    if repeated:
        raise InputError(f"{where}{quoted(repeated)} is named as a prediction more than once.")
    return tuple(wanted)


def require_column(name: str, columns: Sequence[str], where: str = "") -> None:
    """An error with the columns there are, unless `name` is one of them."""
    if name not in columns:
        # Whoever never named the column of gold labels should learn that it can be named.
        hint = " If one of them holds the gold labels, name it with gold." if name == "gold" else ""
        raise InputError(
            f"{where}there is no column {name!r}; the columns are {quoted(columns, 20)}."
            f"{did_you_mean(name, columns) or hint}"
        )
