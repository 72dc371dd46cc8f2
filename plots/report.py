"""report.html: every figure with its caption, command and environment, in one plain file."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .load import Experiment


@dataclass
class Entry:
    experiment: Experiment
    module: str
    machine: str
    caption: str
    paths: dict[str, Path]


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>bfslab: figures</title>
<style>
body {{ font: 15px/1.45 sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }}
figure {{ margin: 1.5em 0 2.5em; }}
img {{ max-width: 100%; height: auto; }}
figcaption, .facts {{ font-size: 13px; }}
code {{ background: #f2f2f2; padding: 0 .2em; }}
.warning {{ color: #8a3b00; }}
</style></head><body>
<h1>Figures</h1>
{contents}
{body}
</body></html>
"""


def write_report(entries: list[Entry], folder: Path) -> Path:
    """Self-contained: images are embedded, and links to the files beside it are relative."""
    contents, body = [], []
    names = dict.fromkeys(entry.experiment.name for entry in entries)
    for name in names:
        anchor = escape(name, quote=True)
        contents.append(f'<li><a href="#{anchor}">{escape(name)}</a></li>')
        mine = [entry for entry in entries if entry.experiment.name == name]
        spec = mine[0].experiment.spec
        source = " ".join(str(spec.get(k, "")) for k in ("paper", "item")).strip()
        title = spec.get("title") or ""
        body.append(f'<h2 id="{anchor}">{escape(name)}</h2>')
        if source or title:
            body.append(f"<p>{escape(': '.join(p for p in (source, title) if p))}</p>")
        body.extend(_figure(entry, folder) for entry in mine)
    path = folder / "report.html"
    listing = f"<ul>{''.join(contents)}</ul>" if contents else "<p>Nothing was drawn.</p>"
    path.write_text(_PAGE.format(contents=listing, body="\n".join(body)))
    return path


def _figure(entry: Entry, folder: Path) -> str:
    image = ""
    if "png" in entry.paths:
        data = base64.b64encode(entry.paths["png"].read_bytes()).decode()
        text = escape(f"{entry.module} of {entry.experiment.name}", quote=True)
        image = f'<img alt="{text}" src="data:image/png;base64,{data}">'
    elif "svg" in entry.paths:
        image = _svg_body(entry.paths["svg"].read_text())
    links = " · ".join(
        f'<a href="{escape(path.relative_to(folder).as_posix(), quote=True)}">{ending}</a>'
        for ending, path in entry.paths.items()
    )
    warnings = "".join(f'<p class="warning">{escape(w)}</p>' for w in entry.experiment.warnings)
    return (
        f"<figure>{image}<figcaption>{escape(entry.caption)}</figcaption>"
        f'<p class="facts">{links}<br>'
        f"Rows by: <code>{escape(entry.experiment.command())}</code><br>"
        f"On {escape(entry.machine)}: {escape(entry.experiment.environment_line())}</p>"
        f"{warnings}</figure>"
    )


def _svg_body(text: str) -> str:
    return text[text.index("<svg") :]
