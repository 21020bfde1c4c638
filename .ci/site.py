"""Makes a site of the pages that the window's help shows: pictures of views, and a first page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "resources" / "examples" / "unet_128.tflite"
TARGET = ("--accelerator-config", "ethos-u65-256", "--arena-cache-size", "128K")
_VIEW = re.compile(r"\]\(view:(\w+)\)")


def on_files(files: Any, config: Any) -> Any:
    """Views that pages name are drawn; in the window they are drawn as they are at the time."""
    pages = [file.content_string for file in files.documentation_pages()]
    for name in sorted({name for text in pages for name in _VIEW.findall(text)}):
        picture = File.generated(config, f"{name}.png", content=_picture(name))
        files.append(picture)
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Pages name pictures by their views."""
    return _VIEW.sub(r"](\1.png)", markdown)


def on_post_build(config: Any) -> None:
    """Who comes without naming a page begins at the first."""
    first = '<!DOCTYPE html><meta http-equiv="refresh" content="0; url=01_start/"><title>Reefpoint'
    Path(config.site_dir, "index.html").write_text(f"{first}</title>\n", "utf-8")


def _picture(view: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, "view.png")
        command = ("main.py", EXAMPLE, *TARGET, "--screenshot", path, "--view", view)
        subprocess.run(
            [sys.executable, *map(str, command), "--size", "1280x640"],
            cwd=ROOT,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
            check=True,
        )
        return path.read_bytes()
