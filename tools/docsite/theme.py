"""What the theme leaves out: names for assistive technology, options that stay in one piece."""

import re

_SEARCH = 'data-md-component="search" role="dialog"'
_SECTION = re.compile(
    r'aria-labelledby="(__nav_[\d_]+)_label"( aria-expanded="\w+">\s*<label class="md-nav__title")'
)
_SHORT_CODE = re.compile(r"<code>([^<\n]{1,24})</code>")


def named(html: str) -> str:
    """Return a page on which the search and the sections of the navigation have names.

    The theme names a section by a label that has no text where the section has a page of its own.
    """
    html = html.replace(_SEARCH, f'{_SEARCH} aria-label="Search"')
    return _SECTION.sub(r'aria-labelledby="\1_title"\2 id="\1_title"', html)


def unbroken(html: str) -> str:
    """Return a text in which short code is not broken: browsers would break --far after --."""
    return _SHORT_CODE.sub(r'<code class="whole">\1</code>', html)
