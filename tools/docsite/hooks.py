"""Events of MkDocs: adds generated pages, runs the code of pages, and checks what was built."""

import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from docsite.changelog import changelog_page  # noqa: E402
from docsite.formulas import Formulas, fence  # noqa: E402


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the generated pages in the navigation, and let Markdown read formulas."""
    config.nav = [_with_pages(entry) for entry in config.nav or []]
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {})
    fences["custom_fences"] = [{"name": "math", "class": "math", "format": fence}]
    config.markdown_extensions.append(Formulas())  # type: ignore[arg-type]
    return config


def _with_pages(entry: Any) -> Any:
    return entry


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for path, text in {"changelog.md": changelog_page(ROOT)}.items():
        files.append(File.generated(config, path, content=text))
    return files
