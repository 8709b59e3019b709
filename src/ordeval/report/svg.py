"""Draw figures as SVG for pages: texts stay texts, and colours follow the theme of the page."""

from collections.abc import Sequence
from html import escape
from math import isfinite

from markupsafe import Markup

from ..formatting import decimals, one_line, shorten
from .figures import Dots, Lines, Mark, Scatter, Series, ticks

_WIDTH = 480  # wider figures would be too small to read on a phone
_ROW, _TOP, _AXIS = 20, 8, 40
_LETTER = 7.0  # the usual width of a character
_LONGEST = 30  # characters of a name
_LEFT, _RIGHT = 44.0, _WIDTH - 10.0
_CORNERS: dict[int, list[tuple[float, float]]] = {  # of the shapes of points, but for circles
    1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    2: [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
    3: [(0, -1.3), (1.1, 0), (0, 1.3), (-1.1, 0)],
    4: [(0, 1.2), (1.1, -0.9), (-1.1, -0.9)],
    5: [(-1.2, -0.4), (1.2, -0.4), (1.2, 0.4), (-1.2, 0.4)],
}
_DASHES = ("", "6 3", "7 2 2 2", "2 3", "9 2 2 2 2 2", "4 2")


def svg(figure: Dots | Lines | Scatter) -> Markup:
    """Return a figure as an SVG element."""
    if isinstance(figure, Scatter):
        height, shapes = _scatter(figure)
    else:
        height, shapes = _dots(figure) if isinstance(figure, Dots) else _lines(figure)
    label = escape(one_line(figure.alt), quote=True)
    return Markup(
        f'<svg class="plot" role="img" aria-label="{label}" viewBox="0 0 {_WIDTH} {height:g}">'
        f"{''.join(shapes)}</svg>"
    )


def _tag(name: str, text: str = "", /, **attributes: object) -> str:
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value != ""
    )
    return f"<{name}{written}>{escape(one_line(text))}</{name}>" if text else f"<{name}{written}/>"


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value))


def _line(x1: float, y1: float, x2: float, y2: float, kind: str, dash: str = "") -> str:
    return _tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind, stroke_dasharray=dash)


def _box(x1: float, x2: float, y1: float, y2: float, kind: str) -> str:
    return _tag("rect", x=x1, y=y1, width=x2 - x1, height=y2 - y1, class_=kind)


def _circle(x: float, y: float, radius: float, kind: str) -> str:
    return _tag("circle", cx=x, cy=y, r=radius, class_=kind)


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    return _tag("text", text, x=x, y=y, text_anchor=anchor, class_=kind)


class _Scale:
    """Numbers to pixels."""

    def __init__(self, span: tuple[float, float], start: float, end: float) -> None:
        self.span, self._start = span, start
        self._unit = (end - start) / (span[1] - span[0])

    def __call__(self, number: float) -> float:
        return self._start + (number - self.span[0]) * self._unit


def _margin(names: Sequence[str]) -> float:
    return min(max(map(len, names), default=0), _LONGEST) * _LETTER + 20


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
    x = _Scale(figure.span, left, _RIGHT)
    shapes = _bottom_axis(x, _TOP, bottom, figure.label)
    if all(map(isfinite, figure.band)):
        low, high = figure.band
        shapes.append(_box(x(low), x(high), _TOP, bottom, "band"))
    for place in filter(isfinite, (figure.line, *figure.lines)):
        shapes.append(_line(x(place), _TOP, x(place), bottom, "mid"))
    for i, (name, mark) in enumerate(zip(names, figure.marks, strict=True)):
        y = _TOP + _ROW * (i + 0.5)
        shapes += [_text(left - 8, y + 4, name, "end"), *_mark(mark, x, y)]
    return bottom + _AXIS, shapes


def _mark(mark: Mark, x: _Scale, y: float) -> list[str]:
    spread, shapes = isfinite(mark.tick), []
    if isfinite(mark.low) and isfinite(mark.high):
        thin = "thin" if spread else f"whisker {mark.kind}"
        shapes.append(_line(x(mark.low), y, x(mark.high), y, thin))
    if all(map(isfinite, mark.inner)):
        shapes.append(_line(x(mark.inner[0]), y, x(mark.inner[1]), y, "thick"))
    if spread:
        shapes.append(_line(x(mark.tick), y - 6, x(mark.tick), y + 6, "tick"))
    shapes += [_circle(x(number), y, 2.6, "small") for number in mark.dots if isfinite(number)]
    if isfinite(mark.value):
        place, kind = x(mark.value), f"dot {mark.kind}"
        square = _box(place - 4, place + 4, y - 4, y + 4, kind)
        dot = _circle(place, y, 2.6 if spread else 4.2, kind)
        shapes.append(square if mark.kind == "model" else dot)
    return shapes


def _side_axis(y: _Scale, label: str) -> list[str]:
    """Draw grid lines with their numbers at the left, and the label above."""
    shapes = [_text(4, _TOP + 6, label, kind="label")]
    for number in ticks(*y.span, most=5):
        shapes.append(_line(_LEFT, y(number), _RIGHT, y(number), "rule"))
        number_text = f"{number:g}".replace("-", "−")
        shapes.append(_text(_LEFT - 6, y(number) + 4, number_text, "end"))
    return shapes


def _scatter(figure: Scatter) -> tuple[float, list[str]]:
    bottom, (across, up) = 270.0, figure.spans
    right = _RIGHT - 90  # names of lines stand at the right
    x, y = _Scale(across, _LEFT + 14, right), _Scale(up, bottom, _TOP + 16.0)
    shapes = [*_side_axis(y, figure.y), *_bottom_axis(x, _TOP + 16, bottom, figure.x)]
    for level in figure.levels:
        if isfinite(level.low):
            shapes.append(_box(_LEFT, right, y(level.high), y(level.low), "band"))
        if isfinite(level.value):
            shapes.append(_line(_LEFT, y(level.value), right, y(level.value), "mid"))
            name = f"{level.name} {decimals(level.value, 2, minus='−')}"
            shapes.append(_text(right + 6, y(level.value) + 4, name))
    for (a, b, _), size in zip(figure.points, figure.sizes, strict=True):
        shapes.append(_circle(x(a), y(b), 9 * size, "small"))
    return bottom + _AXIS, shapes


def _lines(figure: Lines) -> tuple[float, list[str]]:
    named = [series for series in figure.series if not series.faint]
    left, bottom = _LEFT, 230.0
    span = (-0.5, len(figure.names) - 0.5) if figure.names else figure.xlim
    x, y = _Scale(span, left, _RIGHT), _Scale(figure.ylim, bottom, _TOP + 16.0)
    shapes = _side_axis(y, figure.y)
    if figure.names:
        for i, name in enumerate(figure.names):
            shapes.append(_text(x(i), bottom + 14, shorten(one_line(name), 10), "middle"))
        shapes.append(_text(_WIDTH - 4, bottom + 32, figure.x, "end", "label"))
    else:
        shapes += _bottom_axis(x, _TOP + 16, bottom, figure.x)
    for i, height in enumerate(figure.bars):
        shapes.append(_box(x(i - 0.4), x(i + 0.4), y(height), bottom, "bar"))
    for series in (s for s in figure.series if s.faint):
        shapes.append(_polyline(series, x, y, "faint"))
    for i, series in enumerate(named):
        if figure.names:
            shift = (i - (len(named) - 1) / 2) * 0.6 / max(len(named), 2)
            places = zip(series.x, series.y, strict=True)
            shapes += [_point(i, x(at + shift), y(to)) for at, to in places]
        elif series.is_point:
            shapes.append(_point(i, x(series.x[0]), y(series.y[0])))
        else:
            shapes.append(_polyline(series, x, y, f"curve c{i}", _DASHES[i]))
    height, name = figure.level
    if isfinite(height):
        shapes.append(_line(left, y(height), _RIGHT, y(height), "mid"))
        shapes.append(_text(left + 4, y(height) - 4, name))
    top, legend = _legend(figure, named, bottom + _AXIS + 8)
    return top, shapes + legend


def _legend(figure: Lines, named: Sequence[Series], top: float) -> tuple[float, list[str]]:
    shapes = [_text(44, top, figure.legend, kind="label")] if figure.legend else []
    top += 16 * len(shapes)
    signs = [_box(46, 62, top - 9, top + 1, "bar")] if figure.bars else []
    for i, series in enumerate(named):
        y = top + 16 * len(signs) - 4
        line = _line(44, y, 66, y, f"curve c{i}", _DASHES[i])
        signs.append(_point(i, 54, y) if figure.names or series.is_point else line)
    for i, (sign, name) in enumerate(
        zip(signs, [*["gold"] * bool(figure.bars), *(s.name for s in named)], strict=True)
    ):
        shapes += [sign, _text(74, top + 16 * i, shorten(one_line(name), 48))]
    return top + 16 * len(signs), shapes


def _polyline(series: Series, x: _Scale, y: _Scale, kind: str, dash: str = "") -> str:
    top, places = y.span[1], zip(series.x, series.y, strict=True)
    points = [f"{x(a):.1f},{y(min(b, top)):.1f}" for a, b in places if isfinite(b)]
    return _tag("polyline", points=" ".join(points), class_=kind, stroke_dasharray=dash)


def _point(i: int, x: float, y: float) -> str:
    """Draw one of six shapes, which colours repeat."""
    size, kind = 4.5, f"point c{i}"
    if i not in _CORNERS:
        return _circle(x, y, size, kind)
    points = " ".join(f"{x + size * a:.1f},{y + size * b:.1f}" for a, b in _CORNERS[i])
    return _tag("polygon", points=points, class_=kind)
