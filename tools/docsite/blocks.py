"""Run the code of pages: `python tools/docsite/blocks.py PAGE...` prints the CPU time of each.

The python blocks of a page are run in order, in one namespace and one temporary folder, like the
cells of a notebook. In console blocks the lines that begin with "$ " are run by the shell in the
same folder; `ordeval` is the command of this interpreter. What blocks print, return and draw is
inserted after them. A block that fails is an error, except one that begins with
`{.python .fails}`: it must fail, and its message is shown. `{.python .norun}` is not run. A block
that draws is followed by a comment, `<!-- figure: what it shows -->`, for those who cannot see it.

Outputs are kept in build/blocks, under the code of the page and that of the package: the tests run
all pages, and building the site then only reads what they made.
"""

import ast
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any
from unittest.mock import patch

import matplotlib
import scipy.linalg  # noqa: F401 (its threads are limited, too)
from matplotlib.artist import Artist
from matplotlib.collections import QuadMesh
from threadpoolctl import threadpool_limits

import ordeval
from docsite.drawing import svg
from ordeval.atomic import write_text

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "blocks"
PACKAGE = Path(ordeval.__file__).parent
_FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,}) *(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=indent)(?P=ticks) *$"
    r"(?:\n+ *<!-- figure: (?P<alt>.*?) -->)?",
    re.MULTILINE | re.DOTALL,
)
_ALT = "<!-- figure: what it shows -->"
_WIDTH = 4.1  # inches of a figure, whose texts are then nearly in full size on a phone
_MARGIN = 5  # points around a trimmed figure, because fonts of browsers may be wider


class BrokenBlockError(Exception):
    """A block of a page that does not do what the page says."""


@dataclass(frozen=True)
class Block:
    """A block of code in a page.

    Parameters
    ----------
    language : str
        "python" or "console".
    marks : frozenset of str
        What else is written at its beginning, such as "fails".
    code : str
        The code without indentation.
    alt : str
        What its figure shows, in words.
    line : int
        The line of the page where the code begins.
    indent : str
        The indentation of the block in the page.
    end : int
        Where in the text of the page the block ends.
    """

    language: str
    marks: frozenset[str]
    code: str
    alt: str
    line: int
    indent: str
    end: int


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a page that are to be run."""
    return [block for fence in _FENCE.finditer(text) if (block := _runnable(text, fence))]


def _runnable(text: str, fence: re.Match[str]) -> Block | None:
    language, *marks = re.findall(r"[\w-]+", fence["info"]) or [""]
    if language not in ("python", "console") or "norun" in marks:
        return None
    code = re.sub(f"^{fence['indent']}", "", fence["code"], flags=re.MULTILINE)
    line = text.count("\n", 0, fence.start("code")) + 1
    alt = " ".join((fence["alt"] or "").split())
    return Block(language, frozenset(marks), code, alt, line, fence["indent"], fence.end())


@dataclass
class Notebook:
    """A page that is being run.

    Parameters
    ----------
    page : str
        The name of the page, for messages.
    commands : Path
        A folder with the commands that the shell must find first.
    """

    page: str
    commands: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    drawn: int = 0

    def run(self, block: Block) -> str:
        """Run a block and return what it shows, as Markdown."""
        run = self._python if block.language == "python" else self._console
        printed, value, error = run(block)
        if error and "fails" not in block.marks:
            raise BrokenBlockError(error)
        if not error and "fails" in block.marks:
            raise BrokenBlockError(f"{self.page}:{block.line}: The block is marked as failing.")
        return "\n\n".join(filter(None, [_fenced(printed), _shown(value), *self._figures(block)]))

    def _python(self, block: Block) -> tuple[str, Any, str]:
        """Return what a block prints, the value of its last expression, and an error with line."""
        out, value = io.StringIO(), None
        with redirect_stdout(out), redirect_stderr(out):
            try:
                value = self._value(block)
            except (Exception, SystemExit) as error:  # noqa: BLE001 (it is the page's)
                message = f"{type(error).__name__}: {error}"
                place = f"{self.page}:{self._line(error) or block.line}"
                wrapped = "\n".join(fill(line, 80) for line in message.splitlines())
                return f"{out.getvalue()}{wrapped}\n", None, f"{place}: {message}"
        return out.getvalue(), value, ""

    def _value(self, block: Block) -> Any:
        tree = ast.parse("\n" * (block.line - 1) + block.code, self.page)
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            exec(compile(tree, self.page, "exec"), self.names)
            return None
        tree.body.pop()
        exec(compile(tree, self.page, "exec"), self.names)
        return eval(compile(ast.Expression(last.value), self.page, "eval"), self.names)

    def _line(self, error: BaseException) -> int | None:
        """Return the last line of the page that led to an error."""
        if isinstance(error, SyntaxError) and error.filename == self.page:
            return error.lineno
        line, trace = None, error.__traceback__
        while trace:
            if trace.tb_frame.f_code.co_filename == self.page:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def _console(self, block: Block) -> tuple[str, Any, str]:
        """Return what commands print, each after its own line, and an error with line."""
        shown = ""
        for number, command in self._commands(block):
            code, output = self._shell(command)
            shown += f"{output}\n" if output and not output.endswith("\n") else output
            if code:
                return shown, None, f"{self.page}:{number}: exit code {code}\n{output}"
        return shown, None, ""

    def _commands(self, block: Block) -> Iterator[tuple[int, str]]:
        command = ""
        for number, line in enumerate(block.code.splitlines(), block.line):
            if not command and not line.startswith("$ "):
                raise BrokenBlockError(f'{self.page}:{number}: A command begins with "$ ".')
            command += f"{line}\n" if command else f"{line[2:]}\n"
            if not line.endswith("\\"):
                yield number, command
                command = ""

    def _shell(self, command: str) -> tuple[int, str]:
        path = os.pathsep.join([str(self.commands), os.environ["PATH"]])
        modules = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
        done = subprocess.run(
            command,
            shell=True,
            env={**os.environ, "PATH": path, "PYTHONPATH": modules},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout

    def _figures(self, block: Block) -> list[str]:
        from matplotlib import pyplot

        figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
        pyplot.close("all")
        if figures and not block.alt:
            raise BrokenBlockError(f"{self.page}:{block.line}: The figure needs a comment, {_ALT}")
        return [self._figure(figure, block.alt) for figure in figures]

    def _figure(self, figure: Any, alt: str) -> str:
        """Return a figure as HTML; where not all colours follow those of the page, on white."""
        self.drawn += 1
        name = f"{re.sub(r'[^a-z]+', '-', Path(self.page).stem)}-{self.drawn}"
        drawing = _trimmed(svg(figure, alt=alt, name=name, width=_WIDTH), figure)
        mesh = any(isinstance(part, QuadMesh) for part in figure.axes[0].collections)
        paper = " on-paper" if mesh or "#000000" in drawing else ""
        return f'<figure class="drawn{paper}">{drawing}</figure>'


def _trimmed(drawing: str, figure: Any) -> str:
    """Return the drawing of a figure without its empty edges."""
    found = figure.get_tightbbox()
    left, top = 72 * found.x0 - _MARGIN, 72 * (figure.get_figheight() - found.y1) - _MARGIN
    width, height = 72 * found.width + 2 * _MARGIN, 72 * found.height + 2 * _MARGIN
    box = f"{left:.1f} {top:.1f} {width:.1f} {height:.1f}"
    drawing = re.sub('viewBox="[^"]+"', f'viewBox="{box}"', drawing, count=1)
    return re.sub(r"--w:\d+px", f"--w:{width * 4 / 3:.0f}px", drawing, count=1)


def _fenced(printed: str) -> str:
    if not printed.strip():
        return ""
    text = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
    ticks = max(["```", *(f"{run}`" for run in re.findall(r"`{3,}", text))], key=len)
    return f"{ticks} {{.text .output}}\n{text}\n{ticks}"


def _shown(value: Any) -> str:
    """Return a value as a notebook shows it: as HTML if it has any, else as text."""
    parts = value if isinstance(value, list | tuple) and value else [value]
    if value is None or any(isinstance(part, Artist) for part in parts):
        return ""
    if not hasattr(value, "_repr_html_"):
        return _fenced(repr(value))
    found = re.sub(r"<style.*?</style>", "", value._repr_html_(), flags=re.DOTALL)
    found = found.replace('border="1" class="dataframe"', 'class="figures"')
    found = found.replace("<th></th>", "<td></td>")  # a heading without text names nothing
    return f'<div class="output scroll" tabindex="0">{" ".join(found.split())}</div>'


@contextmanager
def notebook(page: str) -> Iterator[Notebook]:
    """Prepare the folder, the commands and the settings in which a page is run."""
    from matplotlib import pyplot

    settings = {"MPLBACKEND": "Agg", "COLUMNS": "80", "NO_COLOR": "1", "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context(), threadpool_limits(1):
        commands, work = Path(folder, "bin"), Path(folder, "work")
        commands.mkdir()
        work.mkdir()
        for name, options in {"ordeval": " -m ordeval", "python": ""}.items():
            command = commands / name
            command.write_text(f'#!/bin/sh\nexec "{sys.executable}"{options} "$@"\n')
            command.chmod(0o755)
        matplotlib.use("Agg")
        pyplot.close("all")
        with patch.dict(os.environ, settings), chdir(work), warnings.catch_warnings():
            warnings.simplefilter("error")  # an example that warns is no example
            yield Notebook(page, commands)
        pyplot.close("all")


def outputs(text: str, page: str, *, fresh: bool = False) -> list[str]:
    """Return what each block of a page shows; kept outputs are used unless `fresh`.

    Parameters
    ----------
    text : str
        The page.
    page : str
        Its name, for messages.
    fresh : bool
        Run the blocks in any case.

    Returns
    -------
    list of str
        Markdown, in the order of the blocks.

    Raises
    ------
    BrokenBlockError
        If a block fails, or does not fail although it is marked so.
    """
    blocks = blocks_of(text)
    kept = KEPT / f"{_key(blocks)}.json"
    if kept.exists() and not fresh:
        return list(json.loads(kept.read_text(encoding="utf-8")))
    if not blocks:
        return []
    with notebook(page) as running:
        shown = [running.run(block) for block in blocks]
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_text(kept, json.dumps(shown))
    return shown


def _key(blocks: list[Block]) -> str:
    """Return a name for the outputs: the same code gives the same name."""
    code = [(b.language, sorted(b.marks), b.code, b.alt) for b in blocks]
    text = json.dumps([sys.version, _package_digest(), code])
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
def _package_digest() -> str:
    """Return what changes with the package and with this module."""
    files = sorted(p for p in PACKAGE.rglob("*") if p.is_file() and p.suffix != ".pyc")
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in files:
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def with_outputs(text: str, page: str) -> str:
    """Return a page with what its blocks show after each of them."""
    parts, end = [], 0
    for block, shown in zip(blocks_of(text), outputs(text, page), strict=True):
        parts.append(text[end : block.end])
        end = block.end
        if shown:
            parts.append("\n\n" + re.sub("^(?=.)", block.indent, shown, flags=re.MULTILINE) + "\n")
    return "".join([*parts, text[end:]])


def main(pages: list[str]) -> None:
    """Run pages and print their CPU time, that of commands included."""
    for page in pages:
        before = sum(os.times()[:4])
        outputs(Path(page).read_text(encoding="utf-8"), page, fresh=True)
        print(f"{sum(os.times()[:4]) - before:6.2f} s  {page}")


if __name__ == "__main__":
    main(sys.argv[1:])
