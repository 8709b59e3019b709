"""Numbers and lists in sentences."""

from collections.abc import Sequence

from markupsafe import Markup

from ..spec import Measure

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number(value: float) -> str:
    """A score to read: three decimals, or its leading digit where these are all zero."""
    value = float(value) + 0.0  # no minus before a zero
    if value == 0 or abs(value) >= 0.0005:
        return f"{value:.3f}".replace("-", "−")
    return f"{value:.0e}".replace("-", "−")


def p_words(p: float) -> str:
    """A p-value in a sentence."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def in_words(count: int) -> str:
    """Small numbers in words, others in digits."""
    return _SMALL[count] if count < len(_SMALL) else f"{count:,}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Small numbers in words: one system, 12 systems."""
    return f"{in_words(count)} {noun if count == 1 else plural or noun + 's'}"


def all_of(count: int, noun: str) -> str:
    """The whole of two or more: both systems, all twelve systems."""
    return f"both {noun}s" if count == 2 else f"all {in_words(count)} {noun}s"


def strong(text: object) -> Markup:
    """A name that stands out, escaped."""
    return Markup("<strong>{}</strong>").format(str(text))


def listed(names: Sequence[object], most: int = 6) -> Markup:
    """a, b and c; long lists are cut."""
    shown = [strong(name) for name in names[:most]]
    if len(names) > most:
        shown.append(Markup(f"{counted(len(names) - most, 'other')}"))
    if len(shown) < 2:
        return Markup("").join(shown)
    return Markup(", ").join(shown[:-1]) + " and " + shown[-1]


def measure_words(measure: Measure) -> Markup:
    """A measure's short name and title."""
    short, title = measure.short, measure.record.title
    found = strong(short)
    return found if short == title else found + f" ({title})"


def sentence(*parts: object) -> Markup:
    """Parts joined, each escaped unless it is safe already, the first letter a capital."""
    joined = Markup("").join(parts)  # type: ignore[arg-type]
    return Markup(joined[:1].upper() + joined[1:]) if joined[:1] != "<" else joined
