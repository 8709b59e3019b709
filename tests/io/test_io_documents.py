"""Exports of Label Studio, Argilla, Inspect and promptfoo, and JSON documents in general."""

import gzip
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe
from ordeval.evaluation.judge import panel_of
from ordeval.files import exports
from rated import ids, read_ratings, table, with_kinds

PEOPLE = {"1": [1, 2, 3, 4], "b@x.org": [2, 2, 3, 5]}
MODEL = [1, 1, 1, 5]


def result(name: str, kind: str, value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": "text", "type": kind, "value": {kind: value}}


def annotation(by: Any, rating: int, **more: Any) -> dict[str, Any]:
    given = [result("quality", "rating", rating), result("tone", "choices", ["good"])]
    return {"id": 7, "completed_by": by, "was_cancelled": False, "result": given, **more}


def label_studio() -> list[dict[str, Any]]:
    return [
        {
            "id": i,
            "data": {"text": "some"},
            "annotations": [
                annotation(1, PEOPLE["1"][i]),
                annotation({"id": 2, "email": "b@x.org"}, PEOPLE["b@x.org"][i]),
                annotation(3, 1, was_cancelled=True),
            ],
            "predictions": [
                {"model_version": "m", "result": [result("quality", "rating", MODEL[i])]}
            ],
        }
        for i in range(4)
    ]


def argilla() -> list[dict[str, Any]]:
    return [
        {
            "id": f"r{i}",
            "fields": {"text": "some"},
            "metadata": {},
            "suggestions": {"quality": {"value": MODEL[i], "score": None, "agent": "m"}},
            "responses": {
                "quality": [
                    {"value": PEOPLE["1"][i], "user_id": "1"},
                    {"value": PEOPLE["b@x.org"][i], "user_id": "b@x.org"},
                ]
            },
            "vectors": {},
            "_server_id": None,
        }
        for i in range(4)
    ]


def inspect(epochs: int = 1, model: str = "openai/gpt-4o") -> dict[str, Any]:
    samples = [
        {
            "id": i,
            "epoch": epoch,
            "input": "some",
            "scores": {
                "1": {"value": PEOPLE["1"][i], "answer": None},
                "b@x.org": {"value": float(PEOPLE["b@x.org"][i])},
                "m": {"value": MODEL[i], "history": []},
            },
        }
        for i in range(4)
        for epoch in range(1, epochs + 1)
    ]
    return {"version": 2, "status": "success", "eval": {"task": "t", "model": model},
            "samples": samples}  # fmt: skip


def promptfoo() -> dict[str, Any]:
    def graded(score: float, **assertion: Any) -> dict[str, Any]:
        return {"pass": True, "score": score, "reason": "", "assertion": assertion}

    results = [
        {
            "testIdx": i,
            "promptIdx": 0,
            "provider": {"id": "openai:gpt-4o", "label": ""},
            "score": 0.5,
            "namedScores": {},
            "gradingResult": {
                "pass": True,
                "score": 0.5,
                "reason": "",
                "componentResults": [
                    graded(PEOPLE["1"][i], type="llm-rubric", provider="1"),
                    graded(PEOPLE["b@x.org"][i], type="llm-rubric", provider={"id": "b@x.org"}),
                    graded(MODEL[i], type="m"),
                ],
            },
        }
        for i in range(4)
    ]
    return {"evalId": "e", "results": {"version": 3, "results": results, "stats": {}}, "config": {}}


EXPORTS: Mapping[str, tuple[Any, dict[str, str]]] = {
    "Label Studio": (label_studio(), {"question": "quality"}),
    "Argilla": (argilla(), {}),
    "Inspect": (inspect(), {}),
    "promptfoo": (promptfoo(), {}),
}


def codes(found: Any, raters: tuple[str, ...] = ("1", "b@x.org", "m")) -> list[list[int]]:
    assert sorted(found.names) == sorted(raters)
    places = [found.names.index(name) for name in raters]
    return table(replace(found, codes=found.codes[places]))


EXPECTED = [list(row) for row in zip(PEOPLE["1"], PEOPLE["b@x.org"], MODEL, strict=True)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_whatever_its_line_breaks(
    name: str, indent: int | None, tmp_path: Path
) -> None:
    content, where = EXPORTS[name]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(content, indent=indent))
    assert codes(read_ratings(path, where=where)) == EXPECTED
    packed = tmp_path / "export.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert codes(read_ratings(packed, where=where)) == EXPECTED


def test_kinds_come_from_exports(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    for content, where in (EXPORTS["Label Studio"], EXPORTS["Argilla"]):
        path.write_text(json.dumps(content))
        found, kinds = with_kinds(path, where=where)
        assert panel_of(found.names, kinds) == (["1", "b@x.org"], ["m"])


def test_epochs_and_models_are_items_of_their_own(tmp_path: Path) -> None:
    for model in ("a", "b"):
        (tmp_path / f"{model}.json").write_text(json.dumps(inspect(epochs=2, model=model)))
    found = read_ratings(tmp_path)
    assert ids(found)[:4] == ("0, a, 1", "0, a, 2", "0, b, 1", "0, b, 2")
    epochs = read_ratings(tmp_path / "a.json", item="item", rater="epoch", where={"rater": "m"})
    assert epochs.names == ("1", "2")
    assert ids(epochs) == ("0", "1", "2", "3")


def test_scores_of_several_parts_are_questions(tmp_path: Path) -> None:
    log = inspect()
    for i, sample in enumerate(log["samples"]):
        sample["scores"] = {s: {"value": {"clarity": 1 + i % 3, "style": 2}} for s in ("x", "y")}
    log["samples"][0]["scores"]["x"]["value"]["clarity"] = float("nan")
    (tmp_path / "log.json").write_text(json.dumps(log))
    found = read_ratings(tmp_path / "log.json", where={"question": "clarity"})
    assert found.names == ("x", "y")
    assert table(found)[0] == [None, 1]


def test_an_archive_of_inspect_is_to_be_converted(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(oe.InputError, match="inspect log convert --to json"):
        read_ratings(tmp_path / "log.eval")


def test_lines_of_promptfoo_are_read_like_its_document(tmp_path: Path) -> None:
    lines = [json.dumps(found) for found in promptfoo()["results"]["results"]]
    for name, kept in (("r.jsonl", lines), ("one.jsonl", lines[:1])):
        (tmp_path / name).write_text("\n".join(kept) + "\n")
        found = read_ratings(tmp_path / name, labels=[1, 2, 3, 4, 5])
        assert codes(found) == EXPECTED[: len(kept)]


def test_sets_of_assertions_and_outputs_without_any_are_no_ratings(tmp_path: Path) -> None:
    export = promptfoo()
    results = export["results"]["results"]
    parts = results[0]["gradingResult"]["componentResults"]
    parts.insert(0, {"pass": True, "score": 0.5, "reason": "", "componentResults": parts[:2]})
    untested = {"gradingResult": {"pass": True, "score": 1, "componentResults": []}}
    results.append({**results[0], **untested, "testIdx": 4, "score": 1})
    (tmp_path / "p.json").write_text(json.dumps(export))
    assert codes(read_ratings(tmp_path / "p.json")) == EXPECTED


def test_named_scores_of_promptfoo_are_questions(tmp_path: Path) -> None:
    export = promptfoo()
    for i, found in enumerate(export["results"]["results"]):
        found["gradingResult"] = None
        found["namedScores"] = {"clarity": 1 + i % 2, "style": 2}
    path = tmp_path / "p.json"
    path.write_text(json.dumps(export))
    ratings = read_ratings(path, rater="question")
    assert ratings.names == ("clarity", "style")


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


HOSTILE = {
    "deep": ('[{"id": 1, "annotations": []}, ' + deep(100_000) + "]", "brackets inside brackets"),
    "deep array": (deep(100_000), "objects are expected"),
    "cut": ('[{"id": 1, "annotations": [', "no JSON"),
    "a number": ("[1, 2, 3]", "objects are expected"),
    "nothing in it": ("[]", "no JSON object"),
    "another object": ('{\n"some": {"thing": 1}\n}', "objects are expected"),
    "repeated keys": ('[{"id": 1, "id": 2}]', "more than once"),
    "no rating": ('[{"id": 1, "annotations": [{"completed_by": 1, "result": []}]}]', "without a"),
    "other types": ('[{"id": 1, "annotations": [3, null, {"result": 5}]}]', "without a rating"),
    "odd log": ('{"eval": {}, "samples": [null, {"scores": [1]}]}', "without a rating"),
    "odd results": ('{"results": {"results": [1, {"gradingResult": 3}]}}', "without a rating"),
    "odd record": ('[{"id": 1, "responses": {"q": {"a": 1}}, "suggestions": [1]}]', "without a"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_document_is_refused_with_a_message(case: str, tmp_path: Path) -> None:
    text, message = HOSTILE[case]
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(oe.InputError, match=message) as caught:
        read_ratings(tmp_path / "x.json")
    assert len(str(caught.value)) < 2000
    assert "\n" not in str(caught.value)


def test_a_document_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "MOST_BYTES", 1000)
    path = tmp_path / "e.json"
    path.write_text(json.dumps(label_studio()))
    with pytest.raises(oe.InputError, match=r"more than 1\.0 kB"):
        read_ratings(path)
    packed = tmp_path / "e.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(oe.InputError, match=r"more than 1\.0 kB"):
        read_ratings(packed)


def test_names_in_documents_are_only_names(tmp_path: Path) -> None:
    names = ["'; DROP TABLE cells; --", "a\nb", '"', "<b>", "nul\0", "\ud800"]
    tasks = [
        {"id": name, "annotations": [annotation(by, 1 + len(by) % 3) for by in names]}
        for name in names
    ]
    path = tmp_path / "e.json"
    path.write_text(json.dumps(tasks))
    found = read_ratings(path, where={"question": "quality"})
    assert found.codes.shape == (len(names), len(names))
    assert {"'; DROP TABLE cells; --", "a\nb", '"', "<b>"} <= set(found.names)
