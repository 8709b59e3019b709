"""Studies as files: a page, figures and a table of figures for every paper."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from ..atomic import write_text
from ..errors import InputError, plural
from ..report.formats import to_csv
from ..report.table import Table, table
from .study import Drawing, Exhibit, Study
from .words import HEADINGS, exhibit_table, notes_of, summary_table, tally_words


def write_pages(studies: Sequence[Study], folder: str | Path, command: str) -> list[Path]:
    """Write everything into a folder; gives the pages."""
    target = usable_folder(folder)
    pages = []
    for study in studies:
        _write_figures(study, target)
        write_text(target / f"{study.key}.csv", to_csv(all_figures(study)))
        pages.append(target / f"{study.key}.html")
        write_text(pages[-1], page_html(study, command))
    write_text(target / "summary.csv", to_csv(summary_table(studies)))
    return pages


def usable_folder(folder: str | Path) -> Path:
    """The folder, made if need be, once it is sure that files can be written into it."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=target):
            return target
    except OSError as problem:
        raise InputError(
            f"{target} cannot be written to: {problem.strerror}. Give --out a folder that can be."
        ) from None


def all_figures(study: Study) -> Table:
    """Every figure of a study, with the exhibit in the first column."""
    from ..report.table import Heading, words

    rows = [
        (words(exhibit.key), *row)
        for exhibit in study.exhibits
        for row in exhibit_table(exhibit).rows
    ]
    return table((Heading("exhibit"), *HEADINGS), rows, title=study.key)


def page_html(study: Study, command: str) -> str:
    """A study as one HTML page that is complete in itself, in the look of the reports."""
    from ..report.page import render

    sections = [
        ("answer", "Summary"),
        *((e.key, e.title.partition(":")[0]) for e in study.exhibits),
    ]
    return render(
        "reproduce.html.j2",
        [*sections, ("repeat", "Repeat")],
        title=study.key,
        citation=study.citation,
        summary=study.summary,
        tally=tally_words(study),
        fails=study.fails,
        exhibits=[_exhibit(e) for e in study.exhibits],
        command=command,
    )


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    return {
        "key": exhibit.key,
        "title": exhibit.title,
        "notes": notes_of(exhibit),
        "table": exhibit_table(exhibit),
        "number": plural(len(exhibit.comparisons), "figure"),
        "tally": tally_words(exhibit),
        "pictures": [(_picture(d), d.words) for d in exhibit.drawings],
    }


def _picture(drawing: Drawing) -> Any:
    from ..report.figures import svg

    return svg(drawing.draw, alt=drawing.words, name=drawing.name)


def _write_figures(study: Study, target: Path) -> None:
    for exhibit in study.exhibits:
        for drawing in exhibit.drawings:
            figure = drawing.draw().figure
            figure.savefig(target / f"{study.key}-{drawing.name}.png", dpi=150)
