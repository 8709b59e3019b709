"""A section as a LaTeX table, ready for a paper."""

import re
from collections.abc import Sequence

from ..formatting import one_line
from .view import Cell, Col, Section

REMARKS = ("Note: ", "Signature: ")  # notes of the whole view, below the last table
_TEXT_WIDTH, _LETTER = 345.0, 4.6  # points, in the class article
_MINUS = re.compile(r"-(?=[\d.∞])")
_PDFLATEX = re.compile("[ -~À-ÏÑ-Ýß-ïñ-ýÿ]*")  # what pdfLaTeX sets without further packages
_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "`": r"\char96{}", '"': r"\char34{}",
    "|": r"\textbar{}", "…": r"\ldots{}", "§": r"\S{}", "–": "--", "\N{REPLACEMENT CHARACTER}": "?",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    **{c: f"{{{c}}}" for c in "[]*"},  # after \\ they would be read as an argument
    **{c: rf"\textsuperscript{{{plain}}}" for c, plain in zip("ᴹᴾᴺᵘ", "MPNu", strict=True)},
    **{c: rf"$_{{{plain}}}$" for c, plain in zip("₀₁₂₍₎", "012()", strict=True)},
    **{
        c: f"${maths}$"
        for c, maths in {
            "↑": r"\uparrow", "↓": r"\downarrow", "−": "-", "∞": r"\infty", "κ": r"\kappa",
            "α": r"\alpha", "τ": r"\tau", "ρ": r"\rho", "±": r"\pm", "·": r"\cdot",
            "×": r"\times", "≤": r"\le", "≥": r"\ge", "≈": r"\approx", "β": r"\beta",
            "γ": r"\gamma", "λ": r"\lambda", "ε": r"\varepsilon", "′": "'", "√": r"\surd",
            "✓": r"\surd", "✗": r"\times", "†": r"\dagger",
        }.items()
    },
}  # fmt: skip


def latex_text(words: str) -> str:
    """Return text escaped for LaTeX."""
    return "".join(_LATEX.get(c, c) for c in one_line(words))


def latex(section: Section, notes: Sequence[str] = ()) -> str:
    """Return a table for the package booktabs; notes on data and the signature are comments."""
    caption = section.caption or latex_text(section.title)
    smaller, too_wide = _fitted(section)
    lines = [r"\begin{table}", r"\centering", *smaller]
    lines += [rf"\caption{{{caption}}}"] if caption else []
    lines += [rf"\label{{{section.label or f'tab:{section.key}'}}}"] if caption else []
    if section.shown:
        align = "".join("r" if col.numeric else "l" for col in section.shown)
        heads = " & ".join(latex_text(col.heading) for col in section.shown)
        lines += [r"\makebox[\textwidth]{%"] * too_wide  # into both margins
        lines += [rf"\begin{{tabular}}{{{align}}}", r"\toprule", rf"{heads} \\", r"\midrule"]
        lines += [_row(section.shown, row) for row in section.cells()]
        lines += [r"\bottomrule", r"\end{tabular}" + "}" * too_wide]
    legend = [latex_text(note) for note in notes if not note.startswith(REMARKS)]
    for code in section.code:
        body = r" \\ ".join(latex_text(line.strip()) for line in code.text.splitlines())
        legend.append(rf"{latex_text(code.heading)} \texttt{{{body}}}")
    lines += [rf"\par\footnotesize {words}" for words in legend]
    remarks = [note for note in notes if note.startswith(REMARKS)]
    above = ["Needs \\usepackage{booktabs}.", *_other_fonts("".join(lines)), *remarks]
    return "\n".join([*(f"% {note}" for note in above), *lines, r"\end{table}"]) + "\n"


def _fitted(section: Section) -> tuple[list[str], bool]:
    """Return the command that makes a table fit an article, and whether it is too wide for that."""
    rows = [[col.heading for col in section.shown]]
    rows += [[cell.text for cell in row] for row in section.cells()]
    text = _LETTER * sum(max(map(len, column)) for column in zip(*rows, strict=True))
    columns = len(section.shown)
    if text + 12 * columns <= _TEXT_WIDTH:
        return [], False
    if 0.8 * text + 6 * columns > _TEXT_WIDTH:
        return [r"\scriptsize\setlength{\tabcolsep}{2pt}"], True
    size = r"\small" if 0.9 * text + 6 * columns <= _TEXT_WIDTH else r"\footnotesize"
    return [rf"{size}\setlength{{\tabcolsep}}{{3pt}}"], False


def _row(columns: Sequence[Col], cells: Sequence[Cell]) -> str:
    return " & ".join(map(_cell, columns, cells)) + r" \\"


def _cell(col: Col, cell: Cell) -> str:
    text = _MINUS.sub("−", cell.text) if col.numeric else cell.text
    shown = latex_text(text)
    return rf"\textbf{{{shown}}}" if cell.bold and shown else shown


def _other_fonts(text: str) -> list[str]:
    """Name the characters that pdfLaTeX cannot set."""
    lacking = "".join(dict.fromkeys(_PDFLATEX.sub("", text)))
    return [f"pdfLaTeX may lack {lacking} where XeLaTeX does not."] if lacking else []
