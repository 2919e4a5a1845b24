"""How the reports look: light, one column, legible at the width of a laptop and of a phone."""

STYLE = """
:root { color-scheme: light }
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 72rem; margin: 2rem auto;
  padding: 0 1.2rem }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; line-height: 1.25 }
h2 { font-size: 1.22rem; margin: 2.8rem 0 .6rem; border-bottom: 1px solid #ccc; padding-bottom: .2rem }
a { color: #2b5d8c }
nav { font-size: .9rem; margin: 1rem 0; padding: .6rem .9rem; background: #f5f6f8; border-radius: 6px }
nav ol { margin: 0; padding-left: 1.3rem; columns: 26rem 2 }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: .9rem 0; font-size: .86rem; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem }
th { text-align: left; border-bottom: 2px solid #888 } th, td { padding: .22rem .8rem .22rem 0; vertical-align: top }
td { border-bottom: 1px solid #e4e4e4; max-width: 34rem } .n { text-align: right; white-space: nowrap }
.good { color: #1b7837 } .bad { color: #b2182b; font-weight: 700 } td.good, td.bad { white-space: nowrap }
.label { display: inline-block; font-size: .78rem; font-weight: 600; color: #2b5d8c; background: #e8eff6; border-radius: 3px;
  padding: 0 .4rem; margin-right: .4rem }
figure { margin: 1.4rem 0 } figure img { max-width: 100%; height: auto }
figcaption, .head { color: #555; font-size: .88rem }
code { font: .86em ui-monospace, monospace; background: #f2f2f4; padding: .05rem .25rem; border-radius: 3px;
  overflow-wrap: anywhere }
.moving { max-width: 44rem }
.moving canvas { width: 100%; aspect-ratio: 16/10; border: 1px solid #ddd; border-radius: 6px; touch-action: none; cursor: grab }
.moving div { display: flex; gap: .7rem; align-items: center; margin-top: .3rem } .moving input { flex: 1 }
.moving button { min-width: 4.5rem; font: inherit }
.moving output { min-width: 5.5rem; text-align: right; font-variant-numeric: tabular-nums }
@media print { nav, .moving div { display: none } }
"""
