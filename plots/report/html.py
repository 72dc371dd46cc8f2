# SPDX-License-Identifier: Apache-2.0
"""HTML from Python values: every text is escaped where it enters, attributes too."""

from __future__ import annotations

from html import escape

_VOID = {"br", "input", "link", "meta"}
_CLOSED_BY_NEXT = {"td", "th", "tr", "li", "dt", "dd"}  # the standard lets them stay open


class Html(str):
    """Text that is markup already."""


def text(value: object) -> Html:
    return value if isinstance(value, Html) else Html(escape(str(value)))


def join(*parts: object) -> Html:
    """Nothing stays nothing: None and "" leave no trace."""
    return Html("".join(text(part) for part in parts if part is not None))


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """tag("td", "a<b", class_="n", data_row=3): a trailing underscore avoids Python's words, others
    become hyphens; an attribute that is None or False is left out, True stands alone."""
    written = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        written += f" {key}" if value is True else f' {key}="{escape(str(value), quote=True)}"'
    if name in _VOID:
        return Html(f"<{name}{written}>")
    if name in _CLOSED_BY_NEXT:
        return Html(f"<{name}{written}>{join(*children)}")
    return Html(f"<{name}{written}>{join(*children)}</{name}>")


def code(command: str) -> Html:
    return tag("code", command)
