"""A browser without a window, driven through its own pipe: it needs nothing beside it."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--remote-debugging-pipe",
)
_SECONDS = 30.0
# It reads what it is told from 3, and answers on 4.
_PLACED = """\
import os, sys
for place, given in ((3, sys.argv[1]), (4, sys.argv[2])):
    os.dup2(int(given), place)
os.execv(sys.argv[3], sys.argv[3:])
"""


def path_or_skip() -> str:
    """Where the browser is; a test without one is skipped."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"there is no browser: one of {', '.join(NAMES)}")
    return found


class Browser:
    """One page of one browser."""

    def __init__(self, profile: Path, width: int = 1440, height: int = 1000) -> None:
        told, self._in = os.pipe()
        self._out, answered = os.pipe()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-c", _PLACED, str(told), str(answered), path_or_skip(), *_FLAGS),
                f"--user-data-dir={profile}",
                f"--window-size={width},{height}",
                "about:blank",
            ],
            pass_fds=(told, answered),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(told)
        os.close(answered)
        self._buffer, self._number, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End it."""
        os.close(self._in)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A command of the browser, and its answer."""
        self._number += 1
        session = {"sessionId": self._session} if self._session else {}
        told = {"id": self._number, "method": method, "params": params} | session
        os.write(self._in, json.dumps(told).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                assert "error" not in found, found
                return dict(found["result"])
            self.events.append(found)

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._out], [], [], max(end - time.monotonic(), 0.0))
            part = os.read(self._out, 1 << 20) if ready else b""
            assert part, "the browser does not answer"
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(text))

    def open(self, path: Path) -> None:
        """A file, anew, as it is when all of it is there; what happened before is forgotten."""
        for address in ("about:blank", path.as_uri()):
            self.events.clear()
            self.call("Page.navigate", url=address)
            while not any(each.get("method") == "Page.loadEventFired" for each in self.events):
                self.events.append(self._next())

    def value(self, script: str) -> Any:
        """What an expression is; a promise is waited for."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def scheme(self, name: str) -> None:
        """What the system asks for: light or dark."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def click(self, x: float, y: float) -> None:
        """Press and let go of the button."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = "none" if kind == "mouseMoved" else "left"
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def wheel(self, x: float, y: float, turned: float) -> None:
        """Turn the wheel; less than 0 is away from who turns it."""
        kind = "mouseWheel"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, deltaX=0, deltaY=turned)

    def press(self, key: str) -> None:
        """A key, down and up."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self) -> bytes:
        """What is seen, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    @property
    def addresses(self) -> list[str]:
        """All that was asked for since the start."""
        asked = (each for each in self.events if each["method"] == "Network.requestWillBeSent")
        return [each["params"]["request"]["url"] for each in asked]

    @property
    def faults(self) -> list[str]:
        """What scripts failed with, and what was refused to them."""
        found = []
        for each in self.events:
            if each["method"] == "Runtime.exceptionThrown":
                found.append(str(each["params"]["exceptionDetails"]))
            if each["method"] == "Log.entryAdded" and each["params"]["entry"]["level"] == "error":
                found.append(str(each["params"]["entry"]["text"]))
        return found
