"""The look of a run's page: quiet, one column, the reader's own fonts, light and dark. It follows `debug_page`'s."""

from __future__ import annotations

STYLE = """
:root{--soft:#666;--ink:#222;--grid:#8883;--s0:#0068a8;--s1:#c4560a}
@media(prefers-color-scheme:dark){:root{--soft:#9a9a9a;--ink:#ddd;--s0:#5bb8f0;--s1:#f0a04b}}
body{max-width:60rem;color:var(--ink);margin:2.5rem auto 6rem}
h1{font-size:1.5rem;margin-bottom:.4rem}h2{font-size:1.15rem;margin:3rem 0 .6rem;border-bottom:1px solid var(--line)}
h3{font-size:.95rem;margin:1.8rem 0 .5rem}h3 small{font-weight:normal;color:var(--soft)}
.lead{font-size:1.05rem;margin:.3rem 0}.note{color:var(--soft);margin:.3rem 0 .8rem}
.wide{overflow-x:auto}
table.sums{width:auto;font:13px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;margin:.4rem 0 1rem}
table.sums td,table.sums th{padding:2px 1.1rem 2px 0;white-space:nowrap;overflow-wrap:normal}
table.sums td.figure,table.sums th:not(:first-child){text-align:right}
table.sums td.long{white-space:normal;min-width:9rem}
svg.chart{display:block;width:100%;max-width:45rem;height:auto;margin:.3rem 0;font-family:system-ui,sans-serif}
svg text.soft{fill:var(--soft)}svg text.ink{fill:var(--ink)}
svg .grid{stroke:var(--grid)}svg .axis{stroke:var(--soft)}
svg .whisker{stroke-width:1.5;opacity:.7}svg .path{fill:none;stroke-width:1.5;opacity:.45}
svg .s0{stroke:var(--s0);fill:var(--s0)}svg .s1{stroke:var(--s1);fill:var(--s1)}
svg .s0.path,svg .s1.path{fill:none}svg .solid{stroke:none;opacity:.85}
details.failure{border-bottom:1px solid var(--line);padding:.35rem 0}
details.failure>summary{cursor:pointer;overflow-wrap:anywhere}details.failure>summary small{color:var(--soft)}
details.failure dl{margin:.6rem 0}details.failure pre{font-size:12px;max-height:30rem}
table.beside{font-size:12px}table.beside td:nth-child(6),table.beside th:nth-child(6){display:none}
table.beside td.code{min-width:13rem}table.beside th{white-space:nowrap}table.beside td{border-bottom-color:#8882}
nav{margin:1rem 0}nav a{color:var(--s0);text-decoration:none;margin-right:1.1rem}nav a:hover{text-decoration:underline}
.flip{color:var(--good);font-weight:bold}
@media print{details.failure>*{break-inside:avoid}}
"""
