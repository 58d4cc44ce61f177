/** The pages' only style sheet; nothing else is loaded by them. */
export const style = `:root { color-scheme: light dark; --line: light-dark(#d9dde3, #3a3f47); --soft: light-dark(#f4f6f8, #1f2329); --link: light-dark(#0b57d0, #8ab4f8); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: light-dark(#1b1f24, #e4e7eb); background: light-dark(#fff, #14171b); }
a { color: var(--link); }
.skip { position: absolute; left: -100em; }
.skip:focus { left: 1em; top: 1em; }
header { display: flex; flex-wrap: wrap; gap: .5em 1.5em; align-items: center; padding: .7em 1.2em; border-bottom: 1px solid var(--line); }
header > a { font-weight: 600; text-decoration: none; }
header form { display: flex; gap: .4em; margin-left: auto; }
input, button { font: inherit; padding: .25em .6em; border: 1px solid var(--line); border-radius: .4em; background: var(--soft); color: inherit; }
.columns { display: grid; grid-template-columns: 15em minmax(0, 1fr); max-width: 80em; margin: 0 auto; }
nav { padding: 1.2em; font-size: .93em; }
nav h2 { font-size: 1em; margin: 1em 0 .2em; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { text-decoration: none; }
nav a[aria-current] { font-weight: 600; color: inherit; }
main { padding: .2em 1.5em 4em; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; }
.anchor { visibility: hidden; text-decoration: none; }
:is(h1, h2, h3, h4):hover .anchor { visibility: visible; }
:target { scroll-margin-top: 1em; }
code { font: .9em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: .3em; }
pre { background: var(--soft); padding: 1em; overflow-x: auto; border-radius: .5em; line-height: 1.45; }
pre code { padding: 0; background: none; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .93em; }
th, td { border: 1px solid var(--line); padding: .35em .6em; text-align: left; vertical-align: top; }
footer { margin-top: 3em; padding-top: .8em; border-top: 1px solid var(--line); font-size: .9em; }
@media (max-width: 50em) { .columns { grid-template-columns: 1fr; } nav { order: 2; border-top: 1px solid var(--line); } }
`;
