"""The reference of all public names, made from their docstrings."""

import importlib
import inspect
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from typing import Any

from numpydoc.docscrape import NumpyDocString

MODULES = {
    "ordeval": "Everything at hand after `import ordeval as oe`.",
    "ordeval.plot": "Figures, drawn with matplotlib.",
    "ordeval.meta": "Judging measures by data and by axioms.",
    "ordeval.stats": "Intervals and tests on arrays.",
}
_SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
_CODE = re.compile(r"``(?P<code>[^`]+)``|(?<![`\w])`(?P<name>[^`\n]+)`(?!`)|_")
_UNSHOWN = re.compile(r"<(?:function|class|object|built-in|factory)[^>]*>")  # as defaults
_LINE = 74  # columns of a signature


@dataclass(frozen=True)
class Entry:
    """A public name.

    Parameters
    ----------
    full : str
        The name with its module, which is the anchor of the entry too.
    value : object
        What it stands for.
    path : str
        The page that describes it.
    """

    full: str
    value: Any
    path: str

    @property
    def name(self) -> str:
        """The name without its module."""
        return self.full.rsplit(".", 1)[1]

    @property
    def target(self) -> str:
        """The link to the entry from another page of the reference."""
        return f"{self.path.removeprefix('reference/')}#{self.full}"


@cache
def entries() -> dict[str, Entry]:
    """Return all public names, by full name; what two modules export is described once."""
    found: dict[str, Entry] = {}
    for module in MODULES:
        public = importlib.import_module(module)
        for name in public.__all__:
            value = getattr(public, name)
            if not any(value is known.value for known in found.values()):
                full = f"{module}.{name}"
                found[full] = Entry(full, value, _path(module, name, value))
    return found


def _path(module: str, name: str, value: Any) -> str:
    """Return the page of a name: of its own in the package itself, else that of the module.

    Names that differ in upper and lower case alone have different pages on every file system.
    """
    if module != "ordeval":
        return f"reference/{module.replace('.', '-')}.md"
    if not callable(value):
        return "reference/index.md"
    return f"reference/{'class-' if inspect.isclass(value) else ''}{name.lower()}.md"


def members(owner: type) -> list[tuple[str, Any]]:
    """Return the public methods and properties of a class that this package defines."""
    found = []
    for name, member in inspect.getmembers(owner):
        plain = property(member.func) if isinstance(member, cached_property) else member
        function = plain.fget if isinstance(plain, property) else plain
        ours = str(getattr(function, "__module__", "")).startswith("ordeval")
        if not name.startswith("_") and inspect.isroutine(function) and ours:
            found.append((name, plain))
    return found


# Text


def text(lines: Iterable[str], own: Collection[str] = ()) -> str:
    """Return text of a docstring as Markdown; names of the package become links, but for `own`."""
    return _CODE.sub(lambda m: _coded(m, own), "\n".join(lines)).strip()


def _coded(m: re.Match[str], own: Collection[str]) -> str:
    if m["code"]:
        return f"`{m['code']}`"
    name = m["name"]
    if not name:
        return r"\_"  # of a name, such as "{system}_{label}", rather than emphasis
    target = None if name in own else _target(re.sub(r"^oe\.", "ordeval.", name))
    return f"[`{name}`]({target})" if target else f"`{name}`"


def _target(name: str) -> str | None:
    """Return the link to the entry of a name of the package, or of a member of a class."""
    for full in (name, *(f"{module}.{name}" for module in MODULES)):
        if full in entries():
            return entries()[full].target
        if full in anchors():
            return f"{anchors()[full].removeprefix('reference/').removesuffix('html')}md#{full}"
    return None


def _examples(lines: list[str], own: Collection[str] = ()) -> Iterator[str]:
    """Return examples: sessions as code, what is between as text."""
    part: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            part.append(line)
        elif part:
            session = part[0].startswith(">>>")
            shown = "\n".join(re.sub(r"\s+# doctest:.*", "", each) for each in part)
            yield f"```pycon\n{shown}\n```" if session else text(part, own)
            part = []


def _definitions(items: Iterable[Any], own: Collection[str]) -> str:
    """Return parameters, or what is returned or raised, as a list of definitions."""
    rows = []
    for item in items:
        kind = f" : {escape(item.type)}" if item.type and item.name else escape(item.type)
        term = f"<code>{escape(item.name)}</code>" if item.name else ""
        rows.append(
            f'<dt markdown="span">{term}<span class="type">{kind}</span></dt>\n'
            f'<dd markdown="block">\n\n{text(item.desc, own)}\n\n</dd>'
        )
    return '<dl class="parameters" markdown="block">\n' + "\n".join(rows) + "\n</dl>"


def signature(name: str, value: Any) -> str:
    """Return how a name is called, without types, which the parameters have."""
    try:
        given = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    bare = [p.replace(annotation=p.empty) for p in given.parameters.values() if p.name != "self"]
    plain = str(given.replace(parameters=bare, return_annotation=given.empty))
    plain = _UNSHOWN.sub("…", plain)
    if len(name) + len(plain) <= _LINE:
        return f"{name}{plain}"
    return _folded(name, [_UNSHOWN.sub("…", str(p)) for p in _with_marks(bare)])


def _with_marks(parameters: list[inspect.Parameter]) -> Iterator[Any]:
    """Return parameters with the mark * before those that need their name."""
    marked = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not marked:
            yield "*"
            marked = True
        yield p


def _folded(name: str, parts: list[str]) -> str:
    lines, line = [f"{name}("], "   "
    for part in parts:
        if len(line) + len(part) + 2 > _LINE:
            lines.append(line)
            line = "   "
        line += f" {part},"
    return "\n".join([*lines, line, ")"])


# Entries and pages


def described(name: str, value: Any, level: int, anchor: str) -> str:
    """Return the entry of a function, class, method or property."""
    if not (inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, property)):
        return _constant(name, value, level, anchor)
    doc = NumpyDocString(inspect.getdoc(value) or "")
    own = {each.strip("* ") for item in doc["Parameters"] for each in item.name.split(",")}
    parts = [f"{'#' * level} {name} {{ #{anchor} }}"]
    if not isinstance(value, property):
        parts.append(f"```python\n{signature(name, value)}\n```")
    parts += [text(doc["Summary"], own), text(doc["Extended Summary"], own)]
    for section in _SECTIONS:
        if doc[section]:
            parts += [f"**{section}**", _definitions(doc[section], own)]
    if doc["Notes"]:
        parts += ["**Notes**", text(doc["Notes"], own)]
    if doc["Examples"]:
        parts += ["**Examples**", *_examples(doc["Examples"], own)]
    return "\n\n".join(filter(None, parts))


def _constant(name: str, value: Any, level: int, anchor: str) -> str:
    return f"{'#' * level} {name} {{ #{anchor} }}\n\n```python\n{name} = {value!r}\n```"


def _entry(entry: Entry, level: int) -> str:
    parts = [described(entry.name, entry.value, level, entry.full)]
    if inspect.isclass(entry.value):
        for name, member in members(entry.value):
            body = described(name, member, level + 1, f"{entry.full}.{name}")
            parts.append(body)
    return "\n\n".join(parts)


def _summary(value: Any) -> str:
    if not callable(value):
        return f"`{value!r}`"
    return text(NumpyDocString(inspect.getdoc(value) or "")["Summary"])


def _index() -> str:
    parts = [
        "# API reference",
        "Every public name, from its docstring; `help(oe.compare)` shows the same.",
    ]
    for module, what in MODULES.items():
        listed = [e for e in entries().values() if e.full.rsplit(".", 1)[0] == module]
        rows = [
            f"| [`{e.name}`]({e.target}) | {_summary(e.value)} |"
            for e in listed
            if callable(e.value)
        ]
        rows += [f"| {_named(e)} | `{e.value!r}` |" for e in listed if not callable(e.value)]
        head = ["| name | what it is |", "| --- | --- |"]
        parts += [f"## {module}", what, "\n".join([*head, *rows])]
    return "\n\n".join(parts)


def _named(entry: Entry) -> str:
    """Return a name with a link to its entry; what has no page of its own is described here."""
    if entry.path.endswith("index.md"):
        return f'<span id="{entry.full}">`{entry.name}`</span>'
    return f"[`{entry.name}`]({entry.target})"


def _module_page(module: str) -> str:
    public = importlib.import_module(module)
    doc = NumpyDocString(inspect.getdoc(public) or "")
    listed = [e for e in entries().values() if e.full.rsplit(".", 1)[0] == module]
    return "\n\n".join(
        [
            f"# {module}",
            text(doc["Summary"]),
            text(doc["Extended Summary"]),
            *_examples(doc["Examples"]),
            *(_entry(e, 2) for e in listed),
        ]
    )


def reference_pages() -> dict[str, str]:
    """Return all pages of the reference, by path."""
    pages = {"reference/index.md": _index()}
    for entry in entries().values():
        if entry.full.count(".") == 1 and callable(entry.value):
            pages[entry.path] = _entry(entry, 1)
    for module in list(MODULES)[1:]:
        pages[f"reference/{module.replace('.', '-')}.md"] = _module_page(module)
    return pages


def navigation() -> list[Any]:
    """Return the pages of the reference for the navigation: functions, classes, modules."""
    own = [e for e in entries().values() if e.full.count(".") == 1 and callable(e.value)]
    functions = [{e.name: e.path} for e in own if not inspect.isclass(e.value)]
    classes = [{e.name: e.path} for e in own if inspect.isclass(e.value)]
    modules = [{m: f"reference/{m.replace('.', '-')}.md"} for m in list(MODULES)[1:]]
    return ["reference/index.md", {"Functions": functions}, {"Classes": classes}, *modules]


@cache
def anchors() -> dict[str, str]:
    """Return the anchors of all public names and of the members of classes, with their pages."""
    found = {}
    for entry in entries().values():
        page = entry.path.removesuffix(".md") + ".html"
        found[entry.full] = page
        if inspect.isclass(entry.value):
            found |= {f"{entry.full}.{name}": page for name, _ in members(entry.value)}
    return found
