"""Reading ratings of several raters: forms, gaps, names and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ordeval as oe
from ordeval.errors import InputError
from rated import ids, read_ratings, table

WIDE = [[1, 2, None], [3, 3, 3], [2, None, 1]]


def as_frame(library: str) -> Any:
    pytest.importorskip(library)
    columns = {f"r{j}": [row[j] for row in WIDE] for j in range(3)}
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    import pyarrow as pa

    return pa.table(columns)


FORMS: dict[str, Any] = {
    "lists": lambda: WIDE,
    "array of floats": lambda: np.array([[np.nan if c is None else c for c in r] for r in WIDE]),
    "array of objects": lambda: np.array(WIDE, dtype=object),
    "mapping": lambda: {f"r{j}": [row[j] for row in WIDE] for j in range(3)},
    "pandas": lambda: as_frame("pandas"),
    "polars": lambda: as_frame("polars"),
    "pyarrow": lambda: as_frame("pyarrow"),
    "dictionaries": lambda: [
        {f"r{j}": c for j, c in enumerate(row) if c is not None} for row in WIDE
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_alike(form: str) -> None:
    found = read_ratings(ratings=FORMS[form](), labels=[1, 2, 3])
    assert table(found) == WIDE
    assert found.named
    assert len(found.names) == 3


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("cells", [WIDE, [dict(zip("abc", row, strict=True)) for row in WIDE]])
def test_a_column_of_lists_or_objects_is_read_like_columns(library: str, cells: Any) -> None:
    frame = pytest.importorskip(library)
    made = frame.table if library == "pyarrow" else frame.DataFrame
    found = read_ratings(made({"id": [1, 2, 3], "all": cells}), labels=[1, 2, 3])
    assert table(found) == WIDE
    assert ids(found) == ("1", "2", "3")


def test_lists_of_different_length_do_not_say_who_rated() -> None:
    found = read_ratings(ratings=[[1, 2], [3], [2, 2, 1]], labels=[1, 2, 3])
    assert not found.named
    assert table(found) == [[1, 2, None], [3, None, None], [2, 2, 1]]


def long(rows: list[tuple[Any, ...]], *roles: str, **options: Any) -> oe.Data:
    columns = zip(*rows, strict=True)
    return read_ratings(**dict(zip(("item", "rater", "rating", *roles), columns, strict=True)),
                        labels=[1, 2, 3], **options)  # fmt: skip


def test_the_long_form_is_read_like_the_wide_one() -> None:
    rows = [(i, f"r{j}", c) for i, row in enumerate(WIDE) for j, c in enumerate(row)]
    found = long(rows)
    assert table(found) == WIDE
    assert (ids(found), found.names) == (("0", "1", "2"), ("r0", "r1", "r2"))


def test_weights_of_the_long_form_belong_to_items() -> None:
    rows: list[tuple[Any, ...]] = [
        ("a", "x", 1, 3, "u"),
        ("a", "y", 2, 3, "u"),
        ("b", "x", 1, 1, "v"),
    ]
    units = long(rows, "weight", "cluster").units
    assert (units.weight.tolist(), units.clusters) == ([3, 1], ("u", "v"))
    with pytest.raises(InputError, match="weight differs between rows of the same item"):
        long([("a", "x", 1, 3), ("a", "y", 2, 1)], "weight")


def test_items_and_raters_without_ratings_are_left_out_and_reported() -> None:
    columns = {"a": [1, None, 2], "b": [2, None, 2], "c": [None, None, None]}
    found = read_ratings(ratings=columns, labels=[1, 2])
    assert (found.names, ids(found)) == (("a", "b"), ("1", "3"))
    told = " ".join(map(str, found.notices))
    assert "they have no rating at all: 1 item" in told
    assert "rated nothing: 'c'" in told


def test_clusters_without_items_do_not_count() -> None:
    rows = [[1, 2], [None, None], [1, 1]]
    units = read_ratings(ratings=rows, labels=[1, 2], cluster=["u", "v", "w"]).units
    assert (units.clusters, units.cluster.tolist()) == (("u", "w"), [0, 1])


def test_more_raters_than_items_may_be_a_transposed_table() -> None:
    found = oe.agreement(np.ones((2, 5), int), labels=[1, 2], draws=0)
    assert any("transpose" in notice for notice in map(str, found.notes))
    rows = np.arange(60).reshape(2, 30) % 3
    with pytest.raises(InputError, match=r"numpy\.transpose\(ratings\)"):
        oe.agreement(rows)
    assert oe.agreement(rows.T, draws=0).items == 30
    assert oe.agreement({f"r{j}": rows[:, j] for j in range(30)}, draws=0).items == 2


# Columns that name the items, and nobody named as raters.

_NAMED = {
    "patient": list(range(1, 13)),
    "smith": [1, 2, 3, 4] * 3,
    "jones": [1, 2, 3, 3, 4, 4, 1, 2, 2, 3, 1, None],
}


@pytest.mark.parametrize(
    "call",
    [
        lambda frame: oe.agreement(frame, draws=0),
        lambda frame: oe.agreement(data=frame, draws=0),
        lambda frame: oe.judge(data=frame, models=["jones"], draws=0),
        lambda frame: oe.judge(frame[["patient", "smith"]], frame[["jones"]], draws=0),
        lambda frame: oe.advise(ratings=frame),
    ],
)
@pytest.mark.parametrize("as_text", [False, True])
def test_names_of_items_are_no_ratings(call: Any, as_text: bool) -> None:
    frame = pd.DataFrame(_NAMED)
    if as_text:
        frame["patient"] = [f"P{number}" for number in frame["patient"]]
    with pytest.raises(InputError, match="'patient' has 12 different values"):
        call(frame)


def test_raters_that_are_named_may_differ_in_every_row() -> None:
    frame = pd.DataFrame(_NAMED)
    assert oe.agreement(data=frame, ratings=list(_NAMED), draws=0).about["raters"] == 3
    assert oe.agreement(data=frame, item="patient", draws=0).about["raters"] == 2
    assert oe.agreement(dict(_NAMED), draws=0).about["raters"] == 3


@pytest.mark.parametrize(
    "columns",
    [
        {"a": range(12), "b": range(5, 17)},  # all alike
        {"a": range(12), "b": [0, *range(11)]},  # a long scale, of which one value occurs twice
        {"a": range(9), "b": [0, 1, 2] * 3},  # few rows
    ],
)
def test_ratings_on_long_scales_are_no_names(columns: dict[str, Any]) -> None:
    frame = pd.DataFrame({name: list(column) for name, column in columns.items()})
    assert oe.agreement(data=frame, draws=0).about["raters"] == 2


def file(folder: Path, text: str) -> Path:
    (folder / "t.csv").write_text(text)
    return folder / "t.csv"


def test_roles_are_found_by_their_names_whatever_the_case(tmp_path: Path) -> None:
    path = file(tmp_path, "Item,Rater,Rating\na,x,1\na,y,2\nb,x,2\nb,y,2\n")
    for data in (path, pd.read_csv(path)):
        found = read_ratings(data, labels=[1, 2])
        assert (found.names, ids(found)) == (("x", "y"), ("a", "b"))
    wide = read_ratings(file(tmp_path, "ID,cot prompt,few-shot prompt,Weight\na,1,2,9\nb,2,2,9\n"))
    assert (wide.names, ids(wide)) == (("cot prompt", "few-shot prompt"), ("a", "b"))
    assert any("the name is that of a role: 'Weight'" in str(note) for note in wide.notices)


def test_visits_of_a_patient_are_items_of_a_cluster(tmp_path: Path) -> None:
    rows = [f"{i // 2},{i % 2 + 1},{i % 4 + 1},{i % 3 + 1}" for i in range(60)]
    path = file(tmp_path, "\n".join(["Patient ID,Visit,Smith,Jones", *rows]))
    with pytest.raises(InputError, match="'Patient ID' has 30 different values") as caught:
        read_ratings(path)
    assert caught.value.suggest["cluster"] == "Patient ID"
    assert read_ratings(path, cluster="Patient ID").names == ("Visit", "Smith", "Jones")
    with pytest.raises(InputError, match="30 items by 'Patient ID'"):
        read_ratings(path, item="Patient ID")
    visits = read_ratings(path, item=["Patient ID", "Visit"])
    assert visits.items == 60
    assert "60 items share 30 values of 'Patient ID'" in "".join(map(str, visits.notices))
    visits = read_ratings(path, item=["Patient ID", "Visit"], cluster="Patient ID")
    assert "share" not in "".join(map(str, visits.notices))


def test_ratings_without_a_header_keep_their_first_item(tmp_path: Path) -> None:
    path = file(tmp_path, "3,1,2\n1,1,2\n2,3,3\n")
    with pytest.raises(InputError, match="these are ratings, too") as caught:
        read_ratings(path)
    assert caught.value.suggest["header"] is False
    assert read_ratings(path, header=False).items == 3
    numbered = read_ratings(file(tmp_path, "1,2,3\n1,1,2\n2,3,3\n"))
    assert (numbered.items, numbered.names) == (2, ("1", "2", "3"))
    assert any("no header" in str(note) for note in numbered.notices)


# Items that not all raters rated.


def test_items_with_gaps_are_left_out() -> None:
    rows = [[1, 2, 1], [3, 3, None], [2, 2, 3], [None, 1, 1], [1, 1, 1], [3, 2, 3]]
    given: dict[str, Any] = {"labels": [1, 2, 3], "draws": 50}
    full = [row for row in rows if None not in row]
    found = oe.agreement(rows, missing="skip", frequency=[1, 2, 1, 3, 1, 1], **given)
    assert found.coefficients == oe.agreement(full, **given).coefficients
    assert not np.isnan(found["icc"].value)
    assert "Left out, because not all raters rated them: 5 items." in tuple(map(str, found.notes))
    assert "|missing:skip|" in found.signature()
    assert "missing=&#39;skip&#39;" in found.to_html()
    assert {row.item for row in found.disputed} == {"1", "3", "6"}
