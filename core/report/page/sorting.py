"""Lets tables of a report be sorted where it is read; without scripts they stay as they are."""

from __future__ import annotations

SORTING = """\
document.querySelectorAll("table").forEach(function (table) {
  var body = table.tBodies[0], first = Array.from(body.rows);
  function number(text) {
    var plain = text.replace(/,/g, "");
    return plain.trim() === "" ? NaN : parseFloat(plain);
  }
  function sort(head, at) {
    var order = head.getAttribute("aria-sort"), isNumber = head.classList.contains("n");
    /* Numbers begin with the greatest, texts with the first; the third time it is as it was. */
    var ways = isNumber ? ["descending", "ascending"] : ["ascending", "descending"];
    var next = order === ways[0] ? ways[1] : order === ways[1] ? null : ways[0];
    Array.from(table.tHead.rows[0].cells).forEach(function (cell) {
      cell.removeAttribute("aria-sort");
    });
    var rows = first.slice();
    if (next) {
      head.setAttribute("aria-sort", next);
      rows.sort(function (one, other) {
        var a = one.cells[at].textContent, b = other.cells[at].textContent, by;
        if (isNumber) {
          a = number(a); b = number(b);
          /* What has no number comes last either way. */
          if (isNaN(a) || isNaN(b)) { return isNaN(a) - isNaN(b); }
          by = a - b;
        } else {
          by = a.localeCompare(b, "en", { numeric: true });
        }
        return next === "ascending" ? by : -by;
      });
    }
    rows.forEach(function (row) { body.appendChild(row); });
  }
  Array.from(table.tHead.rows[0].cells).forEach(function (head, at) {
    head.tabIndex = 0;
    head.title = "Sort";
    head.addEventListener("click", function () { sort(head, at); });
    head.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(head, at); }
    });
  });
});
"""
