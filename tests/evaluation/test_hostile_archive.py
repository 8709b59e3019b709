"""Archives that are damaged, edited or hostile: refused, or loaded as they are."""

import copy
import gzip
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval import archive
from ordeval.meta import axioms

GOLD, TOPICS = [1, 2, 3, 3, 2, 1, 1, 2, 3, 1, 2, 3], ["x", "y", "z"] * 4
SYSTEMS = {"a": [1, 2, 3, 2, 2, 1, 1, 2, 3, 1, 1, 3], "b": [1, 1, 3, 3, 2, 2, 1, 3, 3, 2, 2, 1]}
FEW: dict[str, Any] = {"bootstrap": 20, "trials": 20}
COMPARED = oe.compare(GOLD, SYSTEMS, labels=[1, 2, 3], topic=TOPICS, measures="qwk, mae", **FEW)
SHARES = np.random.default_rng(0).dirichlet(np.ones(3), size=6)
QUANTIFIED = oe.quantify(SHARES, {"x": SHARES[::-1], "y": SHARES}, measures="nmd", **FEW)
SOURCES = [COMPARED.to_dict(), QUANTIFIED.to_dict(), axioms("mae", rng=0).to_dict()]
DERIVED = {"signature", "title", "statement", "source"}


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    """Store text, bytes or data, and return the path."""

    def store(content: Any) -> Path:
        path = tmp_path / "r.json"
        if not isinstance(content, str | bytes):
            content = json.dumps(content)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return store


def edited(*place: Any, to: Any) -> dict[str, Any]:
    """The archive of a comparison with another value somewhere."""
    data = copy.deepcopy(SOURCES[0])
    part: Any = data
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = to
    return data


LARGE = json.dumps(edited("intervals", "se", 0, 0, to=0.75))
REFUSED: dict[str, tuple[Any, str]] = {
    "deep lists": ("[" * 100_000, "on over 32 levels"),
    "deep objects": ('{"a":' * 100_000, "on over 32 levels"),
    "deep inside": (json.dumps(edited("about", to=json.loads("[" * 40 + "]" * 40))), "on over 32"),
    "a long integer": ('{"format": ' + "9" * 5000 + "}", "an integer has 5,000 digits"),
    "NaN": ('{"format": NaN}', "NaN is no number"),
    "a large float": (LARGE.replace('"items": 12', '"items": 1e999'), "a number is too large"),
    "a large score": (LARGE.replace("0.75", "1e999"), "a number is too large"),
    "a key twice": ('{"format": 1, "format": 2}', "'format' occurs twice"),
    "latin-1": (b'{"format": "caf\xe9"}', "byte 16 is not UTF-8"),
    "utf-16": ('{"format": 1}'.encode("utf-16"), "not UTF-8"),
    "gzip": (gzip.compress(b"{}"), r"compressed \(gzip\)"),
    "zip": (b"PK\x03\x04rest", r"compressed \(zip\)"),
    "empty": ("", "not JSON"),
    "cut": (COMPARED.to_json()[:-40], "not JSON"),
    "no object": ("3", "is not a result of ordeval"),
    "another version": ({"format": "ordeval-9"}, "'ordeval-9'"),
    "another type of result": (edited("type", to="Popen"), "'Popen' is not one of"),
    "no measures": (edited("scores", "measures", to=[]), "edited"),
    "more systems": (edited("scores", "systems", to=[f"{i}" for i in range(1000)]), "1,000"),
    "more classes": (edited("scores", "scale", "labels", to=[1, 2, 3, 4]), "3 instead of 4"),
    "many classes": (edited("scores", "scale", "labels", to=list(range(6000))), "6,000 classes"),
    "a table too few": (edited("tables", to=SOURCES[0]["tables"][:1]), "1 instead of 2"),
    "a count that is none": (edited("scores", "undefined", 0, 0, to=0.5), "type int"),
    "a flat interval": (edited("tests", "low", to=SOURCES[0]["intervals"]["low"]), "2 axes"),
    "a method": (edited("intervals", "method", to="sorcery"), "one of .dirichlet"),
    "an unknown entry": (edited("labls", to=[1]), "'labls' is not known"),
    "an unknown measure": (edited("scores", "measures", to=["os.system('x')", "mae"]), "edited"),
    "a note of text": (edited("notes", to=["careful"]), "'careful' is not of the type dict"),
    "infinite values": (edited("scores", "scale", "values", to=[1.0, 2.0, "inf"]), "edited"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_result_is_refused(case: str, stored: Any) -> None:
    content, told = REFUSED[case]
    with pytest.raises(oe.InputError, match=told) as caught:
        oe.load(stored(content))
    assert len(str(caught.value)) < 2000


def test_whole_numbers_are_numbers(stored: Any) -> None:
    whole = oe.load(stored(edited("scores", "values", 0, to=[1, 0])))
    assert whole.scores.values.dtype == np.float64
    assert whole.scores.values[0].tolist() == [1.0, 0.0]


def test_a_number_for_undefined_scores_and_kept_sums_may_exceed_bounds(tmp_path: Path) -> None:
    gold, constant = [1, 1, 2, 3], {"a": [1, 1, 3, 3], "b": [1, 1, 1, 1]}
    options: dict[str, Any] = {"labels": [1, 2, 3], "topic": list("xxyy"), "undefined": 7.5}
    kept = {"x": SHARES[::-1] * 1.005, "y": SHARES}
    for result in (
        oe.compare(gold, constant, measures="kendall_b, qwk", **options, **FEW),
        oe.quantify(SHARES, kept, renormalise=False, **FEW),
        oe.evaluate(oe.Counts.from_table(np.eye(3) * 1e20), measures="qwk", bootstrap=20),
    ):
        result.to_json(tmp_path / "r.json")
        assert oe.load(tmp_path / "r.json") == result


def test_brackets_and_quotes_in_names_are_text(tmp_path: Path) -> None:
    name = '[{"' * 50 + "\\"
    result = oe.compare(GOLD, {name: SYSTEMS["a"], "b": SYSTEMS["b"]}, labels=[1, 2, 3], **FEW)
    result.to_json(tmp_path / "r.json")
    assert oe.load(tmp_path / "r.json") == result


def test_the_limit_of_the_size_is_a_parameter(stored: Any, tmp_path: Path) -> None:
    path = stored(SOURCES[0])
    size = path.stat().st_size
    assert oe.load(path, max_bytes=size) == COMPARED
    with pytest.raises(oe.InputError, match=f"has {size:,} bytes, more than the limit") as caught:
        oe.load(path, max_bytes=size - 1)
    assert f"max_bytes={2 * size}" in str(caught.value)
    with open(tmp_path / "large.json", "wb") as file:
        file.truncate(archive.MAX_BYTES + 1)  # a hole, which takes no space
    with pytest.raises(oe.InputError, match="1,073,741,825 bytes"):
        oe.load(tmp_path / "large.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_devices_and_folders_are_refused_and_links_are_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/dev/zero", tmp_path / "zeros")
    os.symlink(tmp_path / "loop", tmp_path / "loop")
    for name, told in (
        ("pipe", "not a regular file"),
        ("zeros", "not a regular file"),
        ("loop", "symbolic links"),
        ("", "not a regular file|directory"),
        ("a\0b", "null"),
    ):
        with pytest.raises(oe.InputError, match=told):
            oe.load(f"{tmp_path}/{name}")
    COMPARED.to_json(tmp_path / "r.json")
    os.symlink(tmp_path / "r.json", tmp_path / "link.json")
    assert oe.load(tmp_path / "link.json") == COMPARED


ODD = st.sampled_from(
    [None, True, 0, -1, 3, 2**53 + 1, 10**30, 1.5, -1e308, "", "inf", "nan", "x", "\ud800", "\0"]
) | st.sampled_from([[], {}, [[]], [None], {"a": 1}, "</script><script>alert(1)</script>"])


def places(data: Any, place: tuple[Any, ...] = ()) -> Any:
    """All places of values in nested data."""
    parts = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in parts:
        yield (*place, key)
        if isinstance(value, dict | list):
            yield from places(value, (*place, key))


PLACES = [(i, place) for i, source in enumerate(SOURCES) for place in places(source)]
PLACES.sort(key=lambda found: len(found[1]))


def is_faithful(stored: Any, made: Any) -> bool:
    """Whether what was stored is what the loaded object holds, apart from derived entries."""
    if isinstance(stored, dict) and isinstance(made, dict):
        names = made.keys() & stored.keys() - DERIVED
        return all(is_faithful(stored[name], made[name]) for name in names)
    if isinstance(stored, list) and isinstance(made, list):
        return len(stored) == len(made) and all(map(is_faithful, stored, made))
    return bool(stored == made) and isinstance(stored, bool) == isinstance(made, bool)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(PLACES) - 1), ODD, st.sampled_from(["replace", "remove", "twice"]))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers that overflow
def test_a_mutated_archive_is_loaded_as_it_is_or_refused(which: int, odd: Any, how: str) -> None:
    import tempfile

    source, place = PLACES[which]
    data = copy.deepcopy(SOURCES[source])
    part: Any = data
    for key in place[:-1]:
        part = part[key]
    if how == "remove":
        part.pop(place[-1])
    elif how == "twice" and isinstance(part, list):
        part.append(part[place[-1]])
    else:
        part[place[-1]] = odd
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.json")
        path.write_text(json.dumps(data))
        try:
            loaded = oe.load(path)
        except oe.InputError:
            return
    assert is_faithful(data, json.loads(loaded.to_json()))
    with suppress(oe.InputError):  # numbers that do not belong together are not looked for
        assert "<script" not in loaded._repr_html_()
        assert str(loaded) and loaded.to_csv()  # noqa: PT018


def test_loaded_names_are_escaped_again(stored: Any) -> None:
    name = "</script><script>alert(1)</script>"
    text = json.dumps(SOURCES[0]).replace('"a"', json.dumps(name)).replace('"x"', json.dumps(name))
    found = oe.load(stored(text))
    assert name in found.systems
    assert name in found.scores.topics
    page = found.to_html()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert page.count("<script") == 2
    assert "<script" not in found._repr_html_()
