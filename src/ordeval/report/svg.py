"""Draw figures as SVG for pages: texts stay texts, and colours follow the theme of the page."""

from collections.abc import Sequence
from html import escape
from math import isfinite

from markupsafe import Markup

from ..formatting import one_line, shorten
from .figures import Dots, Lines, Mark, Stack, ticks

_WIDTH = 480  # wider figures would be too small to read on a phone
_ROW, _TOP, _AXIS = 20, 8, 40
_LETTER = 7.0  # the usual width of a character
_LONGEST = 26  # characters of a name
_DASHES = ("", "6 3", "7 2 2 2", "2 3", "9 2 2 2 2 2", "4 2")


def svg(figure: Dots | Lines | Stack) -> Markup:
    """Return a figure as an SVG element."""
    draw = {Dots: _dots, Lines: _lines, Stack: _stack}[type(figure)]
    height, shapes = draw(figure)  # type: ignore[operator]
    label = escape(one_line(figure.alt), quote=True)
    return Markup(
        f'<svg class="plot" role="img" aria-label="{label}" viewBox="0 0 {_WIDTH} {height:g}">'
        f"{''.join(shapes)}</svg>"
    )


def _tag(name: str, text: str = "", /, **attributes: object) -> str:
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{given}>{escape(one_line(text))}</{name}>" if text else f"<{name}{given}/>"


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value))


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return _tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    extra = {"class_": kind} if kind else {}
    return _tag("text", text, x=x, y=y, text_anchor=anchor, **extra)


class _Scale:
    """Numbers to pixels."""

    def __init__(self, span: tuple[float, float], start: float, end: float) -> None:
        self.span, self._start = span, start
        self._unit = (end - start) / (span[1] - span[0])

    def __call__(self, number: float) -> float:
        return self._start + (number - self.span[0]) * self._unit


def _margin(names: Sequence[str]) -> float:
    return min(max(map(len, names), default=0), _LONGEST) * _LETTER + 12


def _bottom_axis(x: _Scale, top: float, bottom: float, label: str) -> list[str]:
    """Draw grid lines with their numbers, and the label below."""
    shapes = []
    for number in ticks(*x.span):
        shapes.append(_line(x(number), top, x(number), bottom, "rule"))
        shapes.append(_text(x(number), bottom + 14, f"{number:g}".replace("-", "−"), "middle"))
    shapes.append(_text(_WIDTH - 4, bottom + 32, label, "end", "label"))
    return shapes


def _dots(figure: Dots) -> tuple[float, list[str]]:
    names = [shorten(one_line(mark.name), _LONGEST) for mark in figure.marks]
    left, bottom = _margin(names), _TOP + _ROW * len(names) + 4.0
    x = _Scale(figure.span, left, _WIDTH - 10.0)
    shapes = _bottom_axis(x, _TOP, bottom, figure.label)
    if all(map(isfinite, figure.band)):
        low, high = map(x, figure.band)
        size = {"width": high - low, "height": bottom - _TOP}
        shapes.append(_tag("rect", x=low, y=_TOP, **size, class_="band"))
    if isfinite(figure.line):
        shapes.append(_line(x(figure.line), _TOP, x(figure.line), bottom, "mid"))
    for i, (name, mark) in enumerate(zip(names, figure.marks, strict=True)):
        y = _TOP + _ROW * (i + 0.5)
        shapes.append(_text(left - 8, y + 4, name, "end"))
        shapes += _mark(mark, x, y)
    return bottom + _AXIS, shapes


def _mark(mark: Mark, x: _Scale, y: float) -> list[str]:
    kind, shapes = mark.kind, []
    if isfinite(mark.low) and isfinite(mark.high):
        thin = "thin" if isfinite(mark.tick) else f"whisker {kind}"
        shapes.append(_line(x(mark.low), y, x(mark.high), y, thin))
    if all(map(isfinite, mark.inner)):
        shapes.append(_line(x(mark.inner[0]), y, x(mark.inner[1]), y, "thick"))
    if isfinite(mark.tick):
        shapes.append(_line(x(mark.tick), y - 6, x(mark.tick), y + 6, "tick"))
    for number in mark.dots:
        if isfinite(number):
            shapes.append(_tag("circle", cx=x(number), cy=y, r=2.6, class_="small"))
    if isfinite(mark.value):
        place = x(mark.value)
        if kind == "model":
            size = {"width": 8, "height": 8}
            shapes.append(_tag("rect", x=place - 4, y=y - 4, **size, class_=f"dot {kind}"))
        else:
            radius = 2.6 if isfinite(mark.tick) else 4.2
            shapes.append(_tag("circle", cx=place, cy=y, r=radius, class_=f"dot {kind}"))
    return shapes


def _lines(figure: Lines) -> tuple[float, list[str]]:
    named = [series for series in figure.series if not series.faint]
    legend = [*(["gold"] if figure.bars else []), *(series.name for series in named)]
    left, bottom = 44.0, 230.0
    span = (-0.5, len(figure.names) - 0.5) if figure.names else figure.xlim
    x, y = _Scale(span, left, _WIDTH - 10.0), _Scale(figure.ylim, bottom, _TOP + 16.0)
    shapes = [_text(4, _TOP + 6, figure.y, kind="label")]
    for number in ticks(*figure.ylim, most=5):
        shapes.append(_line(left, y(number), _WIDTH - 10, y(number), "rule"))
        shapes.append(_text(left - 6, y(number) + 4, f"{number:g}", "end"))
    if not figure.names:
        shapes += _bottom_axis(x, _TOP + 16, bottom, figure.x)
    for i, name in enumerate(figure.names):
        shapes.append(_text(x(i), bottom + 14, shorten(one_line(name), 10), "middle"))
    if figure.names:
        shapes.append(_text(_WIDTH - 4, bottom + 32, figure.x, "end", "label"))
    for i, height in enumerate(figure.bars):
        size = {"width": 0.8 * (x(1) - x(0)), "height": bottom - y(height)}
        shapes.append(_tag("rect", x=x(i - 0.4), y=y(height), **size, class_="bar"))
    for series in (s for s in figure.series if s.faint):
        shapes.append(_polyline(series.x, series.y, x, y, "faint"))
    for i, series in enumerate(named):
        if figure.names:
            shift = (i - (len(named) - 1) / 2) * 0.6 / max(len(named), 2)
            shapes += [
                _point(i, x(at + shift), y(to)) for at, to in zip(series.x, series.y, strict=True)
            ]
        else:
            line = _polyline(series.x, series.y, x, y, f"curve c{i}", _DASHES[i])
            shapes.append(line)
    height, name = figure.level
    if isfinite(height):
        shapes.append(_line(left, y(height), _WIDTH - 10, y(height), "mid"))
        shapes.append(_text(left + 4, y(height) - 4, name))
    return _legend(figure, legend, bottom + _AXIS + 8, shapes)


def _legend(
    figure: Lines, names: Sequence[str], top: float, shapes: list[str]
) -> tuple[float, list[str]]:
    if figure.legend:
        shapes.append(_text(44, top, figure.legend, kind="label"))
        top += 16
    for i, name in enumerate(names):
        y, place = top + 16 * i, i - bool(figure.bars)
        if place < 0:
            shapes.append(_tag("rect", x=46, y=y - 9, width=16, height=10, class_="bar"))
        elif figure.names:
            shapes.append(_point(place, 54, y - 4))
        else:
            given = {"stroke_dasharray": _DASHES[place]} if _DASHES[place] else {}
            ends = {"x1": 44, "y1": y - 4, "x2": 66, "y2": y - 4}
            shapes.append(_tag("line", **ends, class_=f"curve c{place}", **given))
        shapes.append(_text(74, y, shorten(one_line(name), 48)))
    return top + 16 * len(names), shapes


def _polyline(
    xs: Sequence[float], ys: Sequence[float], x: _Scale, y: _Scale, kind: str, dash: str = ""
) -> str:
    top = y.span[1]
    points = [(x(a), y(min(b, top))) for a, b in zip(xs, ys, strict=True) if isfinite(b)]
    given = {"stroke_dasharray": dash} if dash else {}
    return _tag(
        "polyline", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in points), class_=kind, **given
    )


def _point(i: int, x: float, y: float) -> str:
    """Draw one of six shapes, which colours repeat."""
    size = 4.5
    corners: dict[int, list[tuple[float, float]]] = {
        1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        2: [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
        3: [(0, -1.3), (1.1, 0), (0, 1.3), (-1.1, 0)],
        4: [(0, 1.2), (1.1, -0.9), (-1.1, -0.9)],
        5: [(-1.2, -0.4), (1.2, -0.4), (1.2, 0.4), (-1.2, 0.4)],
    }
    if i not in corners:
        return _tag("circle", cx=x, cy=y, r=size, class_=f"point c{i}")
    points = " ".join(f"{x + size * a:.1f},{y + size * b:.1f}" for a, b in corners[i])
    return _tag("polygon", points=points, class_=f"point c{i}")


def _stack(figure: Stack) -> tuple[float, list[str]]:
    names = [shorten(one_line(name), _LONGEST) for name, _ in figure.rows]
    left, shapes = _margin(names), []
    x, k = _Scale((0.0, 1.0), left, _WIDTH - 10.0), len(figure.names)
    for i, (name, (_, shares)) in enumerate(zip(names, figure.rows, strict=True)):
        top, start = _TOP + _ROW * i, 0.0
        shapes.append(_text(left - 8, top + 14, name, "end"))
        for place, share in enumerate(shares):
            size = {"width": x(start + share) - x(start), "height": _ROW - 4}
            shapes.append(_segment(x(start), top + 1, size, place, k))
            if share >= 0.07:
                middle = x(start + share / 2)
                kind = "on-dark" if place / max(k - 1, 1) > 0.75 else "on-light"
                shapes.append(_text(middle, top + 14, f"{100 * share:.0f}", "middle", kind))
            start += share
    bottom = _TOP + _ROW * len(names) + 18.0
    shapes.append(_text(4, bottom, "share of each class in %, lowest class first:", kind="label"))
    at = 4.0
    bottom += 18
    for place, name in enumerate(figure.names):
        shown = shorten(one_line(name), 24)
        width = 24 + _LETTER * len(shown) + 12
        if at + width > _WIDTH and place:
            at, bottom = 4.0, bottom + 18
        shapes.append(_segment(at, bottom - 11, {"width": 14.0, "height": 12}, place, k))
        shapes.append(_text(at + 19, bottom, shown))
        at += width
    return bottom + 8, shapes


def _segment(x: float, y: float, size: dict[str, float], place: int, k: int) -> str:
    strength = 0.12 + 0.83 * place / max(k - 1, 1)
    return _tag("rect", x=x, y=y, **size, class_="segment", fill_opacity=f"{strength:.2f}")
