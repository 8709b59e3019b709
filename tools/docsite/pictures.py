"""Make the pictures of README.md and the site: `python tools/docsite/pictures.py`.

They show the terminal and the report of `ordeval demo`, photographed by Chromium without a window;
a narrow terminal and page are for phones, and dark ones for those who prefer these. They are
checked in, because the site is built on machines without a browser, too.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "assets" / "pictures"
LARGEST = 120_000  # bytes of a picture
_SCALE = 1.5  # pixels of a picture per pixel of a page, so that text is sharp on dense screens
_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
_LINE, _LETTER, _EDGE = 19, 8.5, 18  # sizes in the picture of the terminal, in pixels
_TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #1b1f24; color: #e6e9ec; }}
pre {{ margin: {edge}px; font: 14px/{line}px "DejaVu Sans Mono", monospace; }}
b {{ color: #7cc4ff; font-weight: normal; }}
</style><pre><b>$</b> ordeval demo
{text}</pre>"""


@dataclass(frozen=True)
class View:
    """The size of the part of a page that is shown, in pixels."""

    width: int
    height: int


_REPORT, _PHONE = View(1000, 964), View(400, 1388)
_PHONE_LINES = 21  # of the terminal: two parts of the leaderboard
_DARK = "--blink-settings=preferredColorScheme=0"


def main() -> int:
    """Make all pictures; return the exit code."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("chromium is not installed")
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        narrow = "\n".join(_demo(folder, 40).splitlines()[:_PHONE_LINES])
        for name, columns, text in (
            ("terminal", 80, _demo(folder, 80)),
            ("terminal-phone", 40, narrow),
        ):
            page = folder / f"{name}.html"
            page.write_text(_terminal(text), encoding="utf-8")
            _photograph(browser, page, _terminal_view(text, columns), name)
        page = folder / "ordeval-demo.html"
        for name, view in (("report", _REPORT), ("report-phone", _PHONE)):
            _photograph(browser, page, view, name)
            _photograph(browser, page, view, f"{name}-dark", _DARK)
    return 0


def _demo(folder: Path, columns: int) -> str:
    """Run the demonstration; return what it prints before it suggests commands."""
    environment = {**os.environ, "COLUMNS": str(columns), "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "ordeval", "demo"]
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.split("What to type next:")[0].rstrip()


def _terminal(text: str) -> str:
    return _TERMINAL.format(edge=_EDGE, line=_LINE, text=escape(text))


def _terminal_view(text: str, columns: int) -> View:
    lines = text.count("\n") + 2  # the command is a line too
    return View(round(columns * _LETTER) + 2 * _EDGE, lines * _LINE + 2 * _EDGE)


def _photograph(browser: str, page: Path, view: View, name: str, *flags: str) -> None:
    """Save a part of a page as a picture that is small enough."""
    whole = page.with_suffix(".png")
    window = f"--window-size={view.width},{view.height}"
    options = (*_FLAGS, *flags, f"--force-device-scale-factor={_SCALE}", window)
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [browser, *options, profile, f"--screenshot={whole}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    target = PICTURES / f"{name}.webp"
    target.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(whole) as picture:
        shown = picture.convert("RGB")
        shown.save(target, lossless=True, method=6)
    if target.stat().st_size > LARGEST:
        shown.save(target, quality=80, method=6)
    size = target.stat().st_size
    print(f"{target.relative_to(ROOT)}: {shown.width} × {shown.height}, {size:,} bytes")
    if size > LARGEST:
        raise SystemExit(f"{target.name} has more than {LARGEST:,} bytes")


if __name__ == "__main__":
    sys.exit(main())
