"""Ratings from files in every form and format are those of the same ratings in memory."""

import csv
import gzip
import io
import json
import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from hostile_names import NAMES
from ordeval.evaluation.judge import panel_of
from rated import ids, read_ratings, table, with_kinds

Rows = list[dict[str, Any]]
RATERS = ("anna", "ben", "carla")
ITEMS = ("x1", "x2", "x3", "x4", "x5")
TABLE = {
    "anna": [1, 3, None, 5, 2],
    "ben": [2, 3, 4, None, 2],
    "carla": [1, None, 4, 5, 3],
}
WIDE: Rows = [
    {"id": item, **{rater: TABLE[rater][i] for rater in RATERS}} for i, item in enumerate(ITEMS)
]
LONG: Rows = [
    {"item": item, "rater": rater, "rating": TABLE[rater][i]}
    for i, item in enumerate(ITEMS)
    for rater in RATERS
    if TABLE[rater][i] is not None
]
EXPECTED = read_ratings(ratings=TABLE, item=list(ITEMS))


def as_csv(rows: Rows, delimiter: str = ",") -> bytes:
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([["" if row.get(n) is None else row[n] for n in names] for row in rows])
    return text.getvalue().encode()


def as_jsonl(rows: Rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def write_parquet(path: Path, rows: Rows) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.Table.from_pylist(rows), path)


def write_xlsx(path: Path, rows: Rows) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(path)


def write_folder(path: Path, rows: Rows) -> None:
    path.mkdir()
    (path / "1.csv").write_bytes(as_csv(rows[:2]))
    (path / "2.csv").write_bytes(as_csv(rows[2:]))


WRITERS: Mapping[str, Callable[[Path, Rows], object]] = {
    "t.csv": lambda path, rows: path.write_bytes(as_csv(rows)),
    "t.tsv": lambda path, rows: path.write_bytes(as_csv(rows, "\t")),
    "t.csv.gz": lambda path, rows: path.write_bytes(gzip.compress(as_csv(rows))),
    "t.jsonl": lambda path, rows: path.write_bytes(as_jsonl(rows)),
    "t.json": lambda path, rows: path.write_text(json.dumps(rows, indent=2)),
    "t.parquet": write_parquet,
    "t.xlsx": write_xlsx,
    "folder": write_folder,
}


def same(found: oe.Data, expected: oe.Data) -> bool:
    """Whether two are alike in everything that results are made from."""
    return (
        found.codes.tolist() == expected.codes.tolist()
        and found.names == expected.names
        and ids(found) == ids(expected)
        and found.scale == expected.scale
        and found.named == expected.named
    )


def read(folder: Path, rows: Rows, name: str = "t.csv", **options: Any) -> oe.Data:
    path = folder / name
    WRITERS[name](path, rows)
    return read_ratings(path, **options)


@pytest.mark.parametrize("name", WRITERS)
def test_wide_files_are_as_in_memory(name: str, tmp_path: Path) -> None:
    assert same(read(tmp_path, WIDE, name), EXPECTED)


@pytest.mark.parametrize("name", WRITERS)
def test_long_files_are_as_in_memory_in_any_order(name: str, tmp_path: Path) -> None:
    shuffled = random.Random(1).sample(LONG, len(LONG))
    found = read(tmp_path, shuffled, name)
    assert same(found, EXPECTED)
    columns = ([row[c] for row in LONG] for c in ("item", "rater", "rating"))
    assert same(found, read_ratings(**dict(zip(("item", "rater", "rating"), columns, strict=True))))


NESTED = {
    "lists": [[1, 2, 1], [3, 3, None], [None, 4, 4], [5, None, 5], [2, 2, 3]],
    "objects": [{r: TABLE[r][i] for r in RATERS if TABLE[r][i] is not None} for i in range(5)],
    "pairs": [
        [{"rater": r, "rating": TABLE[r][i]} for r in RATERS if TABLE[r][i] is not None]
        for i in range(5)
    ],
}


@pytest.mark.parametrize("form", NESTED)
@pytest.mark.parametrize("name", ["t.jsonl", "t.json", "t.parquet", "t.csv"])
def test_nested_ratings_are_as_in_memory(form: str, name: str, tmp_path: Path) -> None:
    cells = NESTED[form]
    given = [json.dumps(cell) if name == "t.csv" else cell for cell in cells]
    rows = [{"id": i, "text": "some", "r": c} for i, c in zip(ITEMS, given, strict=True)]
    found = read(tmp_path, rows, name)
    names = RATERS if form != "lists" else ("rater 1", "rater 2", "rater 3")
    assert found.names == names
    assert found.codes.tolist() == EXPECTED.codes.tolist()
    if form != "pairs":
        assert same(found, read_ratings(ratings=cells, item=list(ITEMS)))
    assert same(read_ratings(tmp_path / name, rating="r"), found)


def test_standard_input_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (as_csv(WIDE), as_jsonl(WIDE), json.dumps(WIDE).encode()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert same(read_ratings("-"), EXPECTED)


def test_cells_are_read_as_labels_of_other_commands_are(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n 1,2.0\n"2 ",NA\n3,99\n-,1\n')
    found = read_ratings(path, na=["99", "-"])
    assert table(found) == [[1, 2], [2, None], [3, None], [None, 1]]
    assert found.scale.labels == (1, 2, 3)


def test_weights_frequencies_clusters_and_slices_belong_to_items(tmp_path: Path) -> None:
    more = {"w": [1.5, 2, 0, 1, 3], "n": [1, 2, 3, 4, 5], "c": list("pqppq"), "s": list("uuvvv")}
    columns = {"weight": "w", "frequency": "n", "cluster": "c", "by": "s"}
    wide = [{**row, **{k: v[i] for k, v in more.items()}} for i, row in enumerate(WIDE)]
    place = {item: i for i, item in enumerate(ITEMS)}
    long = [{**row, **{k: v[place[row["item"]]] for k, v in more.items()}} for row in LONG]
    expected = read_ratings(
        ratings=TABLE,
        item=list(ITEMS),
        weight=more["w"],
        frequency=more["n"],
        cluster=more["c"],
    )
    for rows, options in ((wide, {"raters": RATERS}), (long, {})):
        found = read(tmp_path, rows, **options, **columns)
        assert same(found, expected)
        assert found.units.weight.tolist() == expected.units.weight.tolist()
        assert found.units.count.tolist() == expected.units.count.tolist()
        assert found.units.cluster.tolist() == expected.units.cluster.tolist()
        codes, parts, *_ = found.units.parts["s"]
        assert [parts[code] for code in codes] == ["u", "u", "v", "v"]


def test_rows_are_chosen_by_other_columns(tmp_path: Path) -> None:
    rows = [{**row, "part": "dev" if row["item"] == "x1" else "test"} for row in LONG]
    found = read(tmp_path, rows, where={"part": "test"})
    assert ids(found) == ITEMS[1:]
    assert "4 of" not in found.notices[0].text
    assert found.notices[0].text.startswith("Only rows with part = 'test'")


def test_raters_can_be_chosen_in_every_form(tmp_path: Path) -> None:
    objects = [{"r": cell} for cell in NESTED["objects"]]
    for rows, name in ((WIDE, "t.csv"), (LONG, "t.csv"), (objects, "t.jsonl")):
        found = read(tmp_path, rows, name, raters=["carla", "anna"])
        assert found.names == ("carla", "anna")
        assert found.codes.tolist() == EXPECTED.codes[[2, 0]].tolist()


def test_several_columns_name_an_item(tmp_path: Path) -> None:
    rows = [
        {"set": s, "no": n, "who": w, "grade": 1 + (s + n + len(w)) % 3}
        for s in (1, 2)
        for n in (9, 10)
        for w in ("a", "bb")
    ]
    found = read(tmp_path, rows[::-1], item=["set", "no"], rater="who", rating="grade")
    assert ids(found) == ("1, 9", "1, 10", "2, 9", "2, 10")


def test_kinds_tell_people_from_models(tmp_path: Path) -> None:
    rows = [{**row, "kind": "model" if row["rater"] == "ben" else "Human"} for row in LONG]
    read(tmp_path, rows)
    found, kinds = with_kinds(tmp_path / "t.csv")
    assert panel_of(found.names, kinds) == (["anna", "carla"], ["ben"])
    assert panel_of(found.names, {}, models=["carla"]) == (["anna", "ben"], ["carla"])
    assert panel_of(found.names, {}, people=["carla", "ben"]) == (["carla", "ben"], ["anna"])


@pytest.mark.parametrize("start", range(0, len(NAMES), 3))
@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet"])
def test_any_name_is_a_name_in_every_role(start: int, name: str, tmp_path: Path) -> None:
    a, b, item, weight, cluster = (NAMES[(start + i) % len(NAMES)] for i in range(5))
    columns: dict[str, list[Any]] = {a: [1, 2, 3, None], b: [1, 3, 3, 2], item: list("ijkl")}
    columns |= {weight: [1, 2, 1, 2], cluster: list("pqpq")}
    rows = [{key: column[i] for key, column in columns.items()} for i in range(4)]
    roles = {"item": item, "weight": weight, "cluster": cluster}
    found = read(tmp_path, rows, name, raters=[a, b], **roles)
    assert (found.names, ids(found)) == ((a, b), ("i", "j", "k", "l"))
    assert table(found) == [[1, 1], [2, 3], [3, 3], [None, 2]]
    assert found.units.weight is not None
    assert found.units.weight.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_any_name_is_the_name_of_a_rater_or_an_item(name: str, tmp_path: Path) -> None:
    words = [n for n in NAMES if n and n == n.strip() and "\0" not in n and n != "1"]
    rows = [
        {"item": w, "rater": v, "rating": 1 + i % 2} for w in words for i, v in enumerate(words)
    ]
    found = read(tmp_path, rows, name)
    assert sorted(found.names) == sorted(words)
    assert sorted(ids(found)) == sorted(words)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=2, max_size=2),
        min_size=1,
        max_size=12,
    )
)
def test_any_ratings_are_as_in_memory(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[int | None]]
) -> None:
    columns = {"a": [row[0] for row in table], "b": [row[1] for row in table]}
    rows = [{"a": a, "b": b} for a, b in table]
    folder = tmp_path_factory.mktemp("any")
    if all(x is None for row in table for x in row):
        with pytest.raises(oe.InputError, match="missing"):
            read(folder, rows, labels=range(1, 6))
        return
    expected = read_ratings(ratings=columns, labels=range(1, 6))
    assert same(read(folder, rows, labels=range(1, 6)), expected)


BAD: Mapping[str, tuple[Rows, Mapping[str, Any], str, str]] = {
    "two roles": (WIDE, {"raters": ["anna", "ben"], "cluster": "ben"}, "two roles", "ratings"),
    "empty name": ([*LONG, {"item": "", "rater": "x", "rating": 1}], {}, "empty value", "item"),
    "kinds differ": (
        [{**row, "kind": "person" if i else "model"} for i, row in enumerate(LONG)],
        {},
        "kind differs",
        "kind",
    ),
    "clusters differ": (
        [{**row, "c": i} for i, row in enumerate(LONG)], {"cluster": "c"}, "differ", "cluster",
    ),
    "negative weight": (
        [{**row, "w": -1} for row in WIDE], {"weight": "w"}, "cannot be used", "weight",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_explained(case: str, tmp_path: Path) -> None:
    rows, options, message, parameter = BAD[case]
    with pytest.raises(oe.InputError, match=message) as caught:
        read(tmp_path, rows, **options)
    assert caught.value.parameter == parameter
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("[1, [2]]", "no list of ratings"),
        ("[1, None]", "no list of ratings"),
        ('[{"rating": 3}]', "no list of ratings"),
        ("[" * 5000 + "]" * 5000, "no list of ratings"),
        ("[]", "no rating"),
    ],
)
def test_a_list_that_holds_no_ratings_is_refused(cell: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(oe.InputError, match=message) as caught:
        read(tmp_path, [{"r": cell}, {"r": cell}], rating="r")
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.jsonl"])
def test_numbers_between_classes_are_put_into_classes(tmp_path: Path, name: str) -> None:
    rows = [{"anna": 1.4, "ben": 2.0}, {"anna": 3.0, "ben": 2.5}, {"anna": None, "ben": 2.5}]
    found = read(tmp_path, rows, name, bins="round", labels=[1, 2, 3])
    given = {"anna": [1.4, 3.0, None], "ben": [2.0, 2.5, 2.5]}
    assert same(found, read_ratings(ratings=given, bins="round", labels=[1, 2, 3]))
    assert any("halves upwards (anna 1, ben 2)." in note.text for note in found.notices)
    words = read_ratings(tmp_path / name, bins=[1.5, 2.5], labels=["low", "mid", "high"])
    assert words.codes.tolist() == found.codes.tolist()
    with pytest.raises(oe.InputError, match="ben has 2 numbers outside"):
        read_ratings(tmp_path / name, bins=[-9, 0.5, 2.2], labels=[0, 1], raters=["ben"])


def test_texts_of_the_same_hash_value_are_told_apart(tmp_path: Path) -> None:
    # DuckDB's hash values of these objects as text are equal, at least in version 2.0.
    rows = [{"ann": 2, "ben": 2, "cai": 3, "gpt": 1}, {"ann": 3, "ben": 4, "cai": 3, "gpt": 4}]
    path = tmp_path / "ratings.jsonl"
    path.write_text("\n".join(json.dumps({"r": row}) for row in rows), encoding="utf-8")
    found = read_ratings(path, rating="r", labels=range(1, 6))
    assert table(found) == [[2, 2, 3, 1], [3, 4, 3, 4]]
