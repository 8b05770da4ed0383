"""A page of vector graphics while it is drawn: words, boxes, dots and lines on a fixed size."""

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as ET

MEDIA: Final = "image/svg+xml"

STYLE: Final = """
text{font:14px system-ui,sans-serif;fill:#1d2733}
.small{font-size:12px;fill:#5b6876}.title{font-size:17px;font-weight:600}
.mid{text-anchor:middle}.end{text-anchor:end}.line{fill:#f3f5f7}
.white{fill:#fff;stroke:#1d2733}.black{fill:#1d2733}.badge{fill:#8a5a00}
@media(prefers-color-scheme:dark){text{fill:#e8edf2}.small{fill:#a3b0bd}.line{fill:#26303a}
.white{stroke:#e8edf2}.black{stroke:#e8edf2}.badge{fill:#e0a94a}}
"""
"""What all pictures look like; each adds its own."""


class Sheet:
    """The document; text in it is text and nothing else."""

    def __init__(self, width: int, height: int, title: str, style: str = "") -> None:
        """``style`` are further rules, for classes of one's own."""
        size = {"viewBox": f"0 0 {width} {height}", "width": str(width), "height": str(height)}
        self._root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size})
        ET.SubElement(self._root, "title").text = _clean(title)
        ET.SubElement(self._root, "style").text = STYLE + style

    def text(self) -> str:
        """The whole document."""
        return ET.tostring(self._root, encoding="unicode")

    def write(self, x: int, y: int, kind: str, text: str) -> None:
        """``text`` on the base line ``y``."""
        attributes = {"x": str(x), "y": str(y)} | ({"class": kind} if kind else {})
        ET.SubElement(self._root, "text", attributes).text = _clean(text)

    def box(self, kind: str, at: tuple[int, int, int, int]) -> None:
        """A filled box; ``at`` is x, y, width and height."""
        place = dict(zip(("x", "y", "width", "height"), map(str, at), strict=True))
        ET.SubElement(self._root, "rect", {**place, "rx": "3", "class": kind})

    def dot(self, kind: str, x: int, y: int, radius: int = 6) -> None:
        """A checker."""
        circle = {"cx": str(x), "cy": str(y), "r": str(radius), "class": kind}
        ET.SubElement(self._root, "circle", circle)

    def path(self, kind: str, points: Sequence[tuple[int, int]]) -> None:
        """A line through ``points``."""
        through = " ".join(f"{x},{y}" for x, y in points)
        ET.SubElement(self._root, "polyline", {"points": through, "class": kind})


def _clean(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
