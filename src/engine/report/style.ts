/** The page's style sheet. Colours are checked for a contrast of at least 4.5 : 1 on both grounds. */
export const style = `
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --code: #f6f8fa; --link: #0550ae; --good: #116329; --care: #7d4e00; --bad: #a40e26; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --ink: #e6edf3; --soft: #9da7b3; --line: #30363d; --code: #161b22; --link: #79c0ff; --good: #56d364; --care: #e3b341; --bad: #ff938a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 62rem; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1rem 0 .25rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.verdict { margin: 0; padding: .75rem 1rem; border: 1px solid var(--line); border-left-width: .4rem; font-weight: 600; }
.verdict.complete { border-left-color: var(--good); }
.verdict.parts { border-left-color: var(--care); }
nav ul { list-style: none; margin: 1rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: .5rem 2rem; margin: 0; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
ul { padding-left: 1.25rem; }
ul.names { list-style: none; padding: 0; columns: 18rem auto; column-gap: 2rem; }
ul.names li { break-inside: avoid; }
.name, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; font-size: .875rem; }
pre { margin: .5rem 0 1rem; padding: .75rem; background: var(--code); border: 1px solid var(--line); white-space: pre-wrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--soft); font-size: .875rem; padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); }
th { font-size: .875rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td strong { color: var(--bad); }
footer { margin-top: 3rem; color: var(--soft); font-size: .875rem; }
@media print { :root { --ground: #fff; --ink: #000; --soft: #333; --line: #999; --code: #fff; --link: #000; --good: #000; --care: #000; --bad: #000; } body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; } h2, h3, h4 { break-after: avoid; } tr, article > h4 { break-inside: avoid; } .wide { overflow: visible; } thead { display: table-header-group; } }
`;
