"""A neutral table as rich draws it on a terminal."""

from typing import Any

from .formats import one_line
from .table import Table


def rich_table(table: Table) -> Any:
    """The table for `rich.print`; names are shown as they are, never as markup."""
    from rich import box
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    found = RichTable(box=box.SIMPLE_HEAD)
    for heading in table.headings:
        justify: Any = "right" if heading.numeric else "left"
        found.add_column(Text(one_line(heading.text)), justify=justify)
    for row in table.rows:
        cells = (
            Text(one_line(cell.text), style="bold" if cell.bold else "", overflow="fold")
            for cell in row
        )
        found.add_row(*cells)
    title = [Text(one_line(table.title))] if table.title else []
    return Group(*title, found, *(Text(one_line(note)) for note in table.notes))
