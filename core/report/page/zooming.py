"""Lets drawings of a report be shown larger where it is read; without scripts they stay."""

from __future__ import annotations

ZOOMING = """\
document.querySelectorAll("figure svg").forEach(function (drawing) {
  var frame = drawing.parentElement, scales = [1, 2, 4], at = 0;
  function zoom(event) {
    var box = drawing.getBoundingClientRect();
    var x = event.clientX === undefined ? 0.5 : (event.clientX - box.left) / box.width;
    var y = event.clientY === undefined ? 0.5 : (event.clientY - box.top) / box.height;
    at = (at + 1) % scales.length;
    drawing.style.width = 100 * scales[at] + "%";
    /* What was pointed at comes to the middle. */
    frame.scrollLeft = x * frame.scrollWidth - frame.clientWidth / 2;
    frame.scrollTop = y * frame.scrollHeight - frame.clientHeight / 2;
  }
  frame.tabIndex = 0;
  frame.title = "Zoom";
  frame.addEventListener("click", function (event) {
    /* Who marks text does not zoom. */
    if (String(window.getSelection()) === "") { zoom(event); }
  });
  frame.addEventListener("keydown", function (event) {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); zoom(event); }
  });
});
"""
