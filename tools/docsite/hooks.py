"""Events of MkDocs: adds generated pages, runs the code of pages, and checks what was built."""

import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from docsite.blocks import BrokenBlockError, with_outputs  # noqa: E402
from docsite.built import faults  # noqa: E402
from docsite.cards import card_pages, names_on_cards, records  # noqa: E402
from docsite.changelog import changelog_page  # noqa: E402
from docsite.formulas import Formulas, fence  # noqa: E402
from docsite.reference import anchors, navigation, reference_pages  # noqa: E402
from docsite.search import boost, words  # noqa: E402
from docsite.side_by_side import side_by_side_page  # noqa: E402
from docsite.theme import named, unbroken  # noqa: E402
from docsite.which_measure import which_measure_page  # noqa: E402
from ordeval.cli.app import COMMANDS  # noqa: E402


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the generated pages in the navigation, and let Markdown read formulas."""
    config.nav = [_with_pages(entry) for entry in config.nav or []]
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {})
    fences["custom_fences"] = [{"name": "math", "class": "math", "format": fence}]
    config.markdown_extensions.append(Formulas())
    return config


def _with_pages(entry: Any) -> Any:
    """Return an entry of the navigation; one of the form `title: folder/*` gets its pages."""
    if isinstance(entry, dict):
        [(title, target)] = entry.items()
        if isinstance(target, str) and target.endswith("/*"):
            return {title: _NAVIGATION[target.removesuffix("/*")]()}
    return entry


def _measures() -> list[Any]:
    """Return the cards of the measures by family."""
    families: dict[str, list[Any]] = {}
    for id, variants in records().items():
        record = variants[0].record
        families.setdefault(record.family, []).append({f"{record.card.title}": f"measures/{id}.md"})
    return [
        "measures/index.md",
        *({family.capitalize(): pages} for family, pages in families.items()),
    ]


_NAVIGATION = {"measures": _measures, "reference": navigation}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "changelog.md": changelog_page(ROOT),
        "which-measure.md": which_measure_page(),
        "side-by-side.md": side_by_side_page(),
        **card_pages(ROOT),
        **reference_pages(),
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Run the code of a page, and show what it prints, returns and draws."""
    path = page.file.src_uri
    page.meta.setdefault("search", {"boost": boost(path)})
    page.meta["tags"] = [*page.meta.get("tags", ()), *words(path)]
    if page.file.generated_by and path != "which-measure.md":  # signatures, calls without data
        return markdown
    try:
        return with_outputs(markdown, path)
    except BrokenBlockError as error:
        raise PluginError(str(error)) from None


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep options and other short code in one piece."""
    return unbroken(html)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Give parts of the theme the names that assistive technology needs."""
    return named(output)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """Do the same for the page that is shown where there is none."""
    return named(output_content) if template_name == "404.html" else output_content


def on_post_build(config: MkDocsConfig) -> None:
    """Check what was built."""
    commands = {f"ordeval-{name}": "cli.html" for name in COMMANDS}
    found = faults(Path(config.site_dir), anchors(), commands, names_on_cards())
    if found:
        raise PluginError("\n".join([f"The site has {len(found)} faults:", *found]))
