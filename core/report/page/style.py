"""How a report looks: on screens light and dark, and on paper."""

from __future__ import annotations

import enum


class ReportTheme(enum.Enum):
    """Colours of a report; on paper they are always the light ones."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"
    """As the reader's system has it."""


_LIGHT = """\
color-scheme:light;--page:#ffffff;--panel:#f6f7f9;--text:#1b1f24;--faint:#59636e;--rule:#d8dde3;
--accent:#0b5cad;--bar:#d6e6f6;--good:#1a7f37;--good-fill:#e8f5ec;--bad:#b3261e;--bad-fill:#fcebea"""
_DARK = """\
color-scheme:dark;--page:#16191d;--panel:#1e2228;--text:#e6e9ed;--faint:#9aa4af;--rule:#343b43;
--accent:#5aa9f0;--bar:#20405f;--good:#56d364;--good-fill:#14281b;--bad:#ff7b72;--bad-fill:#331a1a"""

_RULES = """\
*{box-sizing:border-box}
html{background:var(--page);color:var(--text);-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:40px 32px 64px;max-width:1380px;
 font:15px/1.55 "Inter","Segoe UI",system-ui,-apple-system,"Helvetica Neue",Arial,sans-serif;
 font-variant-numeric:tabular-nums}
header{border-bottom:2px solid var(--text);padding-bottom:18px;margin-bottom:24px}
.kicker{margin:0;color:var(--faint);font-size:12px;letter-spacing:.08em;text-transform:uppercase}
h1{margin:2px 0 4px;font-size:30px;line-height:1.2;font-weight:650;overflow-wrap:anywhere}
header p{margin:0;color:var(--faint)}
h2{margin:44px 0 12px;padding-top:10px;border-top:1px solid var(--rule);font-size:19px;
 font-weight:650}
h3{margin:24px 0 8px;font-size:14px;font-weight:650}
p{margin:8px 0;max-width:80ch}
nav{display:flex;flex-wrap:wrap;gap:4px 18px;margin:18px 0 0;font-size:13px}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
.verdict{margin:0 0 20px;padding:12px 16px;border-left:4px solid var(--good);
 background:var(--good-fill)}
.verdict.over{border-color:var(--bad);background:var(--bad-fill)}
.verdict strong{color:var(--good)}
.verdict.over strong{color:var(--bad)}
.verdict p{margin:2px 0}
.figures{display:grid;grid-template-columns:repeat(4,1fr);gap:1px;background:var(--rule);
 border:1px solid var(--rule)}
@media (max-width:700px){body{padding:20px 14px}.figures{grid-template-columns:repeat(2,1fr)}}
.figures div{background:var(--page);padding:12px 14px}
.figures b{display:block;font-size:21px;line-height:1.25;font-weight:620;white-space:nowrap}
.figures span{display:block;color:var(--faint);font-size:12.5px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 22px;margin:10px 0;font-size:14px}
dt{color:var(--faint)}
dd{margin:0;overflow-wrap:anywhere}
.wide{overflow-x:auto;margin:10px 0}
table{border-collapse:collapse;min-width:55%;font-size:12.5px;line-height:1.4}
th{padding:6px 10px 6px 0;border-bottom:1.5px solid var(--text);text-align:left;
 vertical-align:bottom;font-weight:620;white-space:nowrap}
td{padding:4px 10px 4px 0;border-bottom:1px solid var(--rule);vertical-align:top;
 white-space:nowrap}
td.long{min-width:26ch;white-space:normal;overflow-wrap:anywhere}
th.n,td.n{text-align:right;padding-left:10px}
th.n{white-space:normal;max-width:12ch}
td.bar{background:linear-gradient(var(--bar),var(--bar)) no-repeat right center}
th[tabindex]{cursor:pointer}
th[aria-sort=ascending]::after{content:" \\25B2"}
th[aria-sort=descending]::after{content:" \\25BC"}
tbody tr:hover td:not(.bar){background:var(--panel)}
.note{color:var(--faint);font-size:13.5px}
ul{margin:8px 0;padding-left:20px;max-width:90ch}
li{margin:3px 0}
.estimate{display:inline-block;padding:0 7px;border:1px solid var(--faint);border-radius:9px;
 color:var(--faint);font-size:11.5px;font-weight:500;vertical-align:2px}
.meter{position:relative;height:10px;margin:10px 0 4px;background:var(--panel);
 border:1px solid var(--rule)}
.meter i{display:block;height:100%;background:var(--accent)}
.meter.over i{background:var(--bad)}
.meter u{position:absolute;top:-4px;bottom:-4px;width:2px;background:var(--text)}
figure{margin:22px 0;break-inside:avoid}
figure img{display:block;width:100%;height:auto;border:1px solid var(--rule)}
.drawing{overflow:auto;max-height:92vh;border:1px solid var(--rule);cursor:zoom-in}
.drawing svg{display:block;width:100%;height:auto}
.in-dark{display:none}
figcaption{margin-top:6px;color:var(--faint);font-size:13px}
pre{margin:8px 0;padding:12px 14px;background:var(--panel);border:1px solid var(--rule);
 overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;
 font:12px/1.5 ui-monospace,"JetBrains Mono",Consolas,"DejaVu Sans Mono",monospace}
footer{margin-top:48px;padding-top:12px;border-top:1px solid var(--rule);color:var(--faint);
 font-size:12.5px}
"""

_READERS = """\
@media (prefers-color-scheme:dark){.in-light{display:none}.in-dark{display:block}}
"""

_PAPER = """\
@page{size:A4;margin:14mm 13mm 16mm}
body{max-width:none;padding:0;font-size:9.5pt}
nav{display:none}
h1{font-size:20pt}
h2{margin-top:22pt;font-size:13pt}
h2,h3{break-after:avoid}
.wide{overflow:visible}
table{font-size:6.8pt;max-width:100%}
th,td{padding:2pt 5pt 2pt 0}
th.n,td.n{padding-left:3pt}
th{white-space:normal}
td.long{min-width:16ch}
thead{display:table-header-group}
tr,figure,.verdict,.figures div,.meter{break-inside:avoid}
figure img{max-height:225mm;width:auto;max-width:100%}
.drawing{overflow:visible;max-height:none}
.drawing svg{width:100% !important;max-height:225mm}
.in-light{display:block !important}
.in-dark{display:none !important}
pre{font-size:6.8pt}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
"""


def style(theme: ReportTheme) -> str:
    """The style sheet of a report."""
    first = _DARK if theme is ReportTheme.DARK else _LIGHT
    colours = f":root{{{first}}}\n"
    if theme is ReportTheme.AUTO:
        colours += f"@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n"
    rules = _RULES + (_READERS if theme is ReportTheme.AUTO else "")
    return f"{colours}{rules}@media print{{\n:root{{{_LIGHT}}}\n{_PAPER}}}\n"
