"""Results as JSON and back, as data frames, and files written whole or not at all."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_data import LABELS, constant_on_a_topic, labels

import ordeval as oe
from ordeval.atomic import write_text

GOLD, SYSTEMS, TOPICS = labels()
NAMED = {n: [LABELS[i] for i in p] for n, p in SYSTEMS.items()}
RNG = np.random.default_rng(0)
SHARES = RNG.dirichlet(np.ones(4), size=12)
FEW: dict[str, Any] = {"draws": 100, "trials": 100}


def results() -> dict[str, oe.Result]:
    gold, systems, topics = constant_on_a_topic()
    few: dict[str, Any] = {**FEW, "labels": range(5)}
    more: dict[str, Any] = {**few, "topic": TOPICS}
    words = [LABELS[i] for i in GOLD]
    return {
        "one system": oe.evaluate(GOLD, SYSTEMS["a"], labels=range(5), draws=100),
        "no intervals": oe.evaluate(GOLD, SYSTEMS["a"], labels=range(5), draws=0),
        "items": oe.compare(GOLD, SYSTEMS, **few),
        "topics": oe.compare(GOLD, SYSTEMS, **more),
        "pooled": oe.compare(GOLD, SYSTEMS, **more, aggregate="pool"),
        "values": oe.compare(words, NAMED, labels=LABELS, values=[1, 2, 4, 8, 16.5], **FEW),
        "inferred": oe.compare(GOLD, SYSTEMS, **FEW),
        "undefined": oe.compare(gold, systems, topic=topics, **few),
        "skipped": oe.compare(gold, systems, topic=topics, undefined="skip", **few),
        "replaced": oe.compare(gold, systems, topic=topics, undefined=0.5, **few),
        "weights": oe.compare(
            GOLD, SYSTEMS, measures=[oe.measure("kappa", weights=np.eye(5) == 0)], **few
        ),
        "quantification": oe.quantify(SHARES, {"x": SHARES[::-1], "y": SHARES}, **FEW),
    }


RESULTS = results()


@pytest.mark.parametrize("kind", RESULTS)
def test_the_archive_gives_the_same_result_back(kind: str, tmp_path: Path) -> None:
    result, path = RESULTS[kind], tmp_path / "result.json"
    result.to_json(path)
    text = path.read_text("utf-8")
    json.loads(text, parse_constant=pytest.fail)  # no number that JSON does not know
    again = oe.load(path)
    assert again == result
    assert again.to_json() == text
    assert str(again) == str(result)
    for style in ("to_csv", "to_latex", "to_markdown"):
        assert getattr(again, style)() == getattr(result, style)()


def test_results_differ_when_anything_does() -> None:
    seed = oe.evaluate(GOLD, SYSTEMS["a"], labels=range(5), draws=100, rng=1)
    assert seed != RESULTS["one system"]
    assert RESULTS["one system"] != 3


def test_signature_says_what_is_needed_to_repeat_a_number() -> None:
    assert RESULTS["topics"].signature("mae") == (
        "mae|K:5|agg:mean|topics:8|nan:0|ci:t95,topics|seed:0|test:maxt-topics,exact"
        f"|ordeval:{oe.__version__}"
    )
    assert "values:1,2,4,8,16.5" in RESULTS["values"].signature()
    assert "K:5(inferred)" in RESULTS["inferred"].signature()
    assert "nan:3|undefined:skip" in RESULTS["skipped"].signature("kendall_b")
    assert "nan" in RESULTS["no intervals"].signature()
    no_boot = oe.compare(GOLD, SYSTEMS, labels=range(5), measures="mae", draws=0, rng=7)
    assert no_boot.signature("mae") == (
        f"mae|K:5|nan:0|test:maxt-items,5000|seed:7|ordeval:{oe.__version__}"
    )


def test_a_frame_is_of_the_library_in_use() -> None:
    code = (
        "import ordeval as oe, polars, sys\n"
        "frame = oe.evaluate([0, 1], [0, 1], draws=0, measures='mae').to_frame()\n"
        "sys.exit(not isinstance(frame, polars.DataFrame))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    write_text(path, "old")
    os.chmod(path, 0o640)
    write_text(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.txt"
    write_text(path, "old")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(oe.InputError, match="No space left"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_new_file_has_the_usual_mode_and_a_device_is_written_to(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "out.txt", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == 0o640
    write_text("/dev/null", "x")
    assert Path("/dev/null").is_char_device()
    for place, why in ((tmp_path, "is a directory"), (tmp_path / "no" / "x", "cannot be written")):
        with pytest.raises(oe.InputError, match=why):
            write_text(place, "x")


def test_names_that_are_no_text_survive_the_archive(tmp_path: Path) -> None:
    odd = os.fsdecode(b"caf\xe9")
    result = oe.compare(GOLD, {odd: SYSTEMS["a"], "b": SYSTEMS["b"]}, labels=range(5),
                        measures="mae", **FEW)  # fmt: skip
    result.to_json(tmp_path / "r.json")
    assert oe.load(tmp_path / "r.json") == result
