"""Files to try commands on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

Files = Mapping[str, str | bytes]
GOLD = "id,topic,gold\n" + "".join(f"{i},t{i % 3},{1 + i % 5}\n" for i in range(60))
RUN_A = "id,label\n" + "".join(f"{i},{1 + (i + (i % 7 == 0)) % 5}\n" for i in range(60))
RUN_B = "id,label\n" + "".join(f"{i},{1 + (i + i % 2) % 5}\n" for i in range(60))
TABLE = "gold,a,b\n" + "".join(
    f"{1 + i % 5},{1 + (i + (i % 7 == 0)) % 5},{1 + (i + i % 2) % 5}\n" for i in range(60)
)
GOLD_SHARES = "topic,1,2,3\nx,0.2,0.3,0.5\ny,0.1,0.1,0.8\nz,1,0,0\n"
RUN_SHARES = "topic,1,2,3\nx,0.3,0.3,0.4\ny,0.2,0.2,0.6\nz,0.9,0.1,0\n"
RATINGS = "item,anna,ben,carla,model\n" + "".join(
    f"{i},{1 + i % 5},{1 + (i + i // 7 % 2) % 5},{'' if i % 9 == 4 else 1 + i % 5},{1 + i // 12}\n"
    for i in range(60)
)
LONG_RATINGS = "item,rater,kind,rating\n" + "".join(
    f"{i},{name},{kind},{1 + (i + len(name) * (i % 4 == 0)) % 5}\n"
    for i in range(60)
    for name, kind in (("anna", "person"), ("ben", "person"), ("gpt", "model"))
)
STANDARD: Files = {
    "table.csv": TABLE,
    "gold.csv": GOLD,
    "run.csv": RUN_A,
    "b.csv": RUN_B,
    "shares.csv": GOLD_SHARES,
    "estimates.csv": RUN_SHARES,
    "ratings.csv": RATINGS,
    "long.csv": LONG_RATINGS,
}


@dataclass(frozen=True)
class Done:
    """What a command gave."""

    code: int
    out: str
    err: str


Ordeval = Callable[..., Done]


def write_files(folder: Path, files: Files) -> None:
    """Put files into a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def scores_in(data: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The scores of the JSON of a result, by measure and system."""
    scores = data["scores"]
    rows = zip(scores["measures"], scores["values"], strict=True)
    return {measure: dict(zip(scores["systems"], row, strict=True)) for measure, row in rows}


def workbook(rows: list[list[Any]], **sheets: list[list[Any]]) -> bytes:
    """The bytes of an xlsx file."""
    from openpyxl import Workbook

    book = Workbook()
    for name, table in {"": rows, **sheets}.items():
        sheet = book.create_sheet(name) if name else book.active
        for row in table:
            sheet.append(row)
    book.save(file := BytesIO())
    return file.getvalue()
