"""Nothing global is changed: neither by the import nor by any call, also from threads."""

import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from matplotlib import pyplot
from report_data import compared, hostile, meta, quantified

import ordeval as oe

MADE = [compared(), hostile(), quantified(), meta()]


@pytest.mark.slow
def test_threads_make_the_same_pages() -> None:
    alone = [found.to_html() for found in MADE]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda i: MADE[i % 4].to_html(), range(24)))
    assert together == [alone[i % 4] for i in range(24)]


def test_characters_that_the_font_lacks_make_no_warning() -> None:
    names = ("系统", "\U0001f600", "אב", "ภาษา")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = compared(names, topics=6, items=10)
        page = result.to_html()
        oe.plot.intervals(result).figure.canvas.draw()
        pyplot.close("all")
    assert all(page.count(name) > 3 for name in names)


UNCHANGED = """
import decimal, gc, locale, logging, os, random, signal, sys, tempfile, threading, warnings
import click, duckdb, jinja2, matplotlib, narwhals, numpy, pandas, polars, pyarrow, rich
import array_api_compat, scipy.stats, scipy.optimize, scipy.special
import matplotlib.pyplot, matplotlib.style
matplotlib.use("agg")
matplotlib.pyplot.close(matplotlib.pyplot.figure())
duckdb.sql("CREATE TABLE mine AS SELECT 1 AS x")
decimal.getcontext().prec = 17
tempfile.gettempdir(); random.seed(3); numpy.random.seed(3); numpy.seterr(under="raise")
warnings.filterwarnings("always", category=UserWarning)

def state():
    return {
        "environment": dict(os.environ), "folder": os.getcwd(), "path": list(sys.path),
        "streams": [id(sys.stdin), id(sys.stdout), id(sys.stderr), sys.stdout.encoding],
        "hooks": [id(sys.excepthook), id(sys.displayhook), id(threading.excepthook)],
        "limits": [sys.getrecursionlimit(), sys.get_int_max_str_digits(), gc.get_threshold()],
        "errors": numpy.geterr(), "print": str(numpy.get_printoptions()),
        "random": [random.getstate(), str(numpy.random.get_state()), str(decimal.getcontext())],
        "locale": locale.setlocale(locale.LC_ALL),
        "warnings": [*map(str, warnings.filters), id(warnings.showwarning)],
        "logging": [logging.root.level, len(logging.root.handlers), logging.root.manager.disable],
        "signals": [str(signal.getsignal(s)) for s in sorted(signal.valid_signals())],
        "threads": threading.active_count(), "temporary": tempfile.tempdir,
        "matplotlib": dict(matplotlib.rcParams), "figures": matplotlib.pyplot.get_fignums(),
        "backend": matplotlib.get_backend(), "polars": polars.Config.state(),
        "pandas": pandas.get_option("display.max_rows"), "jinja": list(jinja2.filters.FILTERS),
        "duckdb": duckdb.sql("SHOW TABLES").fetchall()
        + duckdb.sql("SELECT name, value FROM duckdb_settings()").fetchall(),
    }

def compare(when):
    changed = [name for name, value in state().items() if value != before[name]]
    if changed:
        sys.exit(f"{when}: {changed}")

before = state()
import ordeval as oe
compare("import")
gold, systems = [1, 2, 3, 3, 2, 1] * 6, {"a": [1, 2, 3, 2, 2, 1] * 6, "b": [3, 2, 3, 3, 2, 2] * 6}
topics = [i % 6 for i in range(36)]
result = oe.compare(gold, systems, labels=[1, 2, 3], topic=topics, draws=50, trials=50)
compare("compare")
frame = pandas.DataFrame({"gold": gold, **systems, "topic": topics})
folder = tempfile.mkdtemp()
frame.to_csv(folder + "/t.csv", index=False)
calls = {
    "score": lambda: oe.score(gold, systems["a"], "qwk"),
    "evaluate": lambda: oe.evaluate(gold, systems["a"]),
    "polars": lambda: oe.read(polars.from_pandas(frame), topic="topic"),
    "duckdb": lambda: oe.read(duckdb.connect().from_df(frame), topic="topic"),
    "page": result.to_html, "text": lambda: str(result), "latex": result.to_latex,
    "json": lambda: (result.to_json(folder + "/r.json"), oe.load(folder + "/r.json")),
    "summary": result.summary, "frame": result.to_frame, "html": result._repr_html_,
    "axioms": lambda: oe.meta.axioms("mae"), "measures": lambda: list(oe.measures()),
    "plot": lambda: matplotlib.pyplot.close(oe.plot.intervals(result).figure),
    "error": lambda: oe.score(gold, [9], "qwk"),
    "file": lambda: oe.compare(oe.read(folder + "/t.csv", topic="topic")),
}
for name, call in calls.items():
    try:
        call()
    except oe.InputError as problem:
        if name not in ("error",):
            raise
    compare(name)
"""


@pytest.mark.slow
def test_neither_the_import_nor_a_call_changes_anything_global() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    done = subprocess.run(
        [sys.executable, "-c", UNCHANGED],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr[-2000:]) == (0, "")
