"""No shell, no pickle, no network, no evaluation of text: in the source, and in what runs."""

import ast
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import ordeval
import ordeval as oe
from ordeval.cli.app import application

SOURCE = Path(ordeval.__file__).parent
TREES = {
    str(path.relative_to(SOURCE)): ast.parse(path.read_text("utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
MODULES = {
    *("subprocess", "pty", "multiprocessing", "ctypes", "cffi", "webbrowser", "code", "runpy"),
    *("pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml", "torch"),
    *("socket", "ssl", "socketserver", "asyncio", "http", "urllib", "urllib3", "requests", "httpx"),
    *("aiohttp", "ftplib", "smtplib", "imaplib", "poplib", "telnetlib", "xmlrpc", "boto3"),
}
BUILT_IN = {"eval", "exec", "compile", "__import__", "input", "breakpoint"}
CALLS = {
    *("os.system", "os.popen", "os.fork", "os.startfile", "tempfile.mktemp", "np.load", "np.save"),
    *("np.fromfile", "joblib.load", "joblib.dump", "pd.read_pickle", "pd.eval", "numexpr.evaluate"),
    *("duckdb.sql", "duckdb.query", "duckdb.execute", "builtins.eval", "builtins.exec"),
}
CALLS |= {name.replace("np.", "numpy.").replace("pd.", "pandas.") for name in CALLS}
STARTS = ("os.exec", "os.spawn", "os.posix_spawn")
WORDS = {"shell", "allow_pickle"}
# What is there on purpose: commands and parts of the package are modules of fixed names, and losses
# on arrays of PyTorch use PyTorch, but load nothing.
ALLOWED = {
    "__init__.py: import_module",
    "cli/app.py: import_module",
    "measures/loss.py: torch",
    "measures/registry.py: import_module",
    "report/present.py: import_module",  # of names in a table
}


def used(tree: ast.AST) -> Iterator[str]:
    """Everything in a module that needs a reason."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            taken = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in taken if name in CALLS or name.startswith(STARTS))
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            module = (getattr(node, "module", None) or "") if not getattr(node, "level", 0) else ""
            for name in [module] if module else names if isinstance(node, ast.Import) else []:
                if name.partition(".")[0] in {*MODULES, "joblib"}:
                    yield name
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in BUILT_IN | CALLS | {"import_module"} or called.startswith(STARTS):
                yield called
            yield from (f"{word.arg}=" for word in node.keywords if word.arg in WORDS)


def test_the_source_has_no_shell_no_pickle_no_network_and_no_evaluation() -> None:
    found = {f"{name}: {what}" for name, tree in TREES.items() for what in used(tree)}
    assert found == ALLOWED


def test_few_variables_of_the_environment_are_read() -> None:
    found = {
        name for name, tree in TREES.items() for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("os.environ", "os.getenv")
    }  # fmt: skip
    # The width of the terminal, tracebacks for developers, completion by the shell, and limits.
    assert found == {"report/layout.py", "cli/run.py", "limits.py"}


def test_every_template_escapes() -> None:
    from ordeval.report.page import _templates

    environment = _templates()
    assert environment.autoescape is True
    names = [name for name in environment.list_templates() if name.endswith(".j2")]
    assert names
    for name in names:
        text = (SOURCE / "report" / "templates" / name).read_text("utf-8")
        assert "|safe" not in text.replace(" ", "")
        assert "autoescape" not in text.replace("goes through autoescape", "")
    calls = [(name, n) for name, tree in TREES.items() for n in ast.walk(tree)
             if isinstance(n, ast.Call)]  # fmt: skip
    engines = ("Environment", "Template")
    made = [name for name, call in calls if ast.unparse(call.func).endswith(engines)]
    assert made == ["report/page.py"]


# What every command is tried with; a new command needs a line.
COMMANDS: dict[str, list[str]] = {
    "demo": ["--quiet"],
    "score": ["table.csv", "--labels", "1..5", "--draws", "20", "--html", "score.html"],
    "compare": ["gold.csv", "a.csv", "b.csv", "--topic", "topic", "--html", "compare.html"],
    "agreement": ["ratings.csv", "--draws", "20", "--html", "agreement.html"],
    "judge": ["ratings.csv", "--models", "m", "--draws", "20", "--html", "judge.html"],
    "cutpoints": ["table.csv", "--score", "a", "--labels", "1..5", "--html", "cuts.html"],
    "plan": ["table.csv", "--labels", "1..5", "--width", "0.5", "--html", "plan.html"],
    "quantify": ["shares.csv", "run.csv", "--draws", "20", "--html", "quantify.html"],
    "advise": ["table.csv", "--labels", "1..5"],
    "meta": ["gold.csv", "a.csv", "b.csv", "--topic", "topic", "--splits", "5", "--html", "m.html"],
    "axioms": ["cem"],
    "measures": ["qwk"],
}

GUARDED = """
import json, os, sys
import matplotlib.font_manager  # on the first use on a computer, it lists the fonts with fc-list

FORBIDDEN = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork",
    "pickle.", "marshal.", "webbrowser.", "urllib.", "http.", "ftplib.", "smtplib.",
)
seen = []

def guard(event, args):
    if event.startswith(FORBIDDEN) and event != "marshal.loads":  # compiled modules
        seen.append(event)

from ordeval.cli import main
sys.addaudithook(guard)
code = main(sys.argv[1:])
print(json.dumps({"code": code, "seen": seen}), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files for every command."""
    found = tmp_path_factory.mktemp("guarded")
    labels = [(i, f"t{i % 3}", 1 + i % 5, 1 + (i + i % 2) % 5) for i in range(60)]
    (found / "table.csv").write_text("gold,a\n" + "".join(f"{g},{p}\n" for *_, g, p in labels))
    rows = "".join(f"{i},{t},{g}\n" for i, t, g, _ in labels)
    (found / "gold.csv").write_text("id,topic,gold\n" + rows)
    (found / "a.csv").write_text("id,x\n" + "".join(f"{i},{p}\n" for i, _, _, p in labels))
    (found / "b.csv").write_text("id,x\n" + "".join(f"{i},{6 - p}\n" for i, _, _, p in labels))
    ratings = "".join(f"{i},{g},{p},{g},{p}\n" for i, _, g, p in labels)
    (found / "ratings.csv").write_text("item,anna,ben,carla,m\n" + ratings)
    (found / "shares.csv").write_text("topic,1,2\nx,0.2,0.8\ny,0.5,0.5\nz,1,0\n")
    (found / "run.csv").write_text("topic,1,2\nx,0.3,0.7\ny,0.4,0.6\nz,0.9,0.1\n")
    return found


def guarded(folder: Path, *args: str) -> dict[str, object]:
    """Run a command in a process that records what it should not do."""
    done = subprocess.run(
        [sys.executable, "-c", GUARDED, *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return dict(json.loads(done.stderr.splitlines()[-1]))


def test_every_command_is_tried() -> None:
    group = application()
    context = click.Context(group)
    assert group.list_commands(context) == list(COMMANDS)
    assert [group.get_command(context, name).name for name in COMMANDS] == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.slow
def test_no_command_opens_a_socket_or_starts_a_process(command: str, folder: Path) -> None:
    assert guarded(folder, command, *COMMANDS[command]) == {"code": 0, "seen": []}


@pytest.mark.parametrize(
    "where", ["http://localhost:9/x.csv", "https://[::1]/x.parquet", "s3://b/x"]
)
@pytest.mark.slow
def test_addresses_are_no_files(where: str, folder: Path) -> None:
    for given in (["score", where], ["compare", "gold.csv", where]):
        assert guarded(folder, *given) == {"code": 2, "seen": []}
    with pytest.raises(ordeval.InputError, match="is an address, and only files"):
        oe.read(where)


def spreadsheet(path: Path, old: bytes = b"", new: bytes = b"", more: int = 0) -> Path:
    """A small spreadsheet, with a change in its sheet, and a part of many blanks."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("gold", "a"), (1, 2), (2, 2)):
        book.active.append(row)
    book.save(path.with_suffix(".tmp"))
    with (
        zipfile.ZipFile(path.with_suffix(".tmp")) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content.replace(old, new) if b"sheetData" in content else content)
        if more:
            target.writestr("xl/more.xml", b" " * more)
    return path


@pytest.mark.slow
def test_spreadsheets_that_unpack_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ordeval.files import sheets

    far = spreadsheet(tmp_path / "far.xlsx", b'<row r="3"', b'<row r="900000000"')
    with pytest.raises(ordeval.InputError, match="more than 1,048,576 rows"):
        oe.read(far)
    monkeypatch.setattr(sheets, "_MOST_BYTES", 2**20)
    bomb = spreadsheet(tmp_path / "bomb.xlsx", more=2**20)
    with pytest.raises(ordeval.InputError, match="1 MiB of content"):
        oe.read(bomb)
