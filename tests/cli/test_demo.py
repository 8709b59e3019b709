"""The demonstration: what it says is true, what it suggests works, what it finds it keeps."""

import re
import shlex
from pathlib import Path

import numpy as np

import ordeval as oe
from cli_files import Ordeval
from ordeval.demo_data import LABELS, demo_data, demo_files


def test_the_data_are_the_same_every_time() -> None:
    assert demo_files() == demo_files()


def test_the_story_is_true() -> None:
    data = demo_data()
    result = oe.compare(data.gold, data.systems, labels=LABELS, topic=data.topics, draws=0)
    assert result.scores.ranking("accuracy")[0] == "hasty"
    knowing = ("kappa(weights='linear')", "kappa(weights='quadratic')", "cem", "mae", "kendall_b")
    assert all(result.scores.ranking(m)[0] != "hasty" for m in knowing)
    misses = {s: np.abs(_codes(p) - _codes(data.gold)) for s, p in data.systems.items()}
    assert max(misses, key=lambda s: misses[s][misses[s] > 0].mean()) == "hasty"


def _codes(labels: object) -> np.ndarray:
    return np.asarray([LABELS.index(label) for label in np.asarray(labels)])


def test_every_suggestion_works_as_it_stands(ordeval: Ordeval, tmp_path: Path) -> None:
    out = ordeval("demo", "--no-report").out
    assert len(out.splitlines()) < 40
    commands = re.findall(r"^  ordeval (.+)$", out.replace("\\\n", ""), re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        words = [
            str(path.relative_to(tmp_path)) if "*" in word else word
            for word in shlex.split(command)
            for path in (sorted(tmp_path.glob(word)) if "*" in word else [Path(word)])
        ]
        assert ordeval(*words).code == 0, command


def test_the_report_replaces_an_older_report(ordeval: Ordeval, tmp_path: Path) -> None:
    assert ordeval("demo").code == 0
    first = (tmp_path / "ordeval-demo.html").stat().st_ino
    assert ordeval("demo").code == 0
    assert (tmp_path / "ordeval-demo.html").stat().st_ino != first


def test_the_report_replaces_nothing_else(ordeval: Ordeval, tmp_path: Path) -> None:
    (tmp_path / "ordeval-demo.html").write_text("my own page about ordeval")
    done = ordeval("demo")
    assert done.code == 0
    assert "No report: ordeval-demo.html exists" in done.err
    assert (tmp_path / "ordeval-demo.html").read_text() == "my own page about ordeval"


def test_the_data_may_be_written_again(ordeval: Ordeval, tmp_path: Path) -> None:
    for _ in range(2):
        assert ordeval("demo", "--no-report", "--data", "d", "--quiet").code == 0
    assert len(list((tmp_path / "d" / "runs").iterdir())) == len(demo_data().systems)
