/** The pages' only style sheet, and their icon; nothing else is loaded by them. */
export const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1f24, #e4e7eb); --quiet: light-dark(#4f5861, #a3adb9); --paper: light-dark(#fff, #14171b);
  --line: light-dark(#d9dde3, #3a3f47); --soft: light-dark(#f4f6f8, #1f2329); --link: light-dark(#0b57d0, #8ab4f8);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1em; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
a { color: var(--link); text-underline-offset: .15em; }
/* Below an underscore, which it would hide. */
a:has(code) { text-underline-offset: .32em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .2em; }
main:focus { outline: none; }
.skip { position: absolute; left: -100em; padding: .3em .6em; background: var(--paper); }
.skip:focus { left: .5em; top: .5em; }
header { display: flex; flex-wrap: wrap; gap: .5em 1.5em; align-items: center; padding: .7em max(1.2em, 50% - 42.8em); border-bottom: 1px solid var(--line); }
header > a { font-weight: 600; font-size: 1.1em; text-decoration: none; color: var(--ink); }
header form { display: flex; gap: .4em; flex: 1 1 12em; max-width: 24em; margin-left: auto; }
input[type=search] { flex: 1; width: 8em; min-width: 0; }
input[type=search], button { font: inherit; padding: .25em .6em; border: 1px solid light-dark(#8b95a1, #6b7684); border-radius: .4em; background: var(--soft); color: inherit; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 88em; margin: 0 auto; }
main { padding: .2em 1.2em 4em; overflow-wrap: break-word; min-width: 0; }
main > :is(p, ul, ol) { max-width: 48em; }
nav { font-size: .93em; }
nav h2 { font-size: 1em; margin: 1em 0 .2em; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { line-height: 1.35; }
nav a { display: block; padding: .2em 0; text-decoration: none; }
nav ul ul { padding-left: .9em; font-size: .95em; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { font-weight: 600; color: inherit; }
.pages { border-bottom: 1px solid var(--line); padding: 0 1.2em; }
.pages summary { padding: .6em 0; cursor: pointer; font-weight: 600; }
.pages nav { padding-bottom: 1em; }
.pages nav h2:first-child { margin-top: .5em; }
.here { display: none; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.9em; margin: .7em 0 .5em; }
h2 { font-size: 1.4em; margin: 1.8em 0 .5em; }
h3 { font-size: 1.12em; margin: 1.8em 0 .4em; }
.anchor { visibility: hidden; text-decoration: none; color: var(--quiet); }
:is(h1, h2, h3, h4):hover .anchor { visibility: visible; }
code { font-family: ui-monospace, monospace; font-size: .88em; background: var(--soft); padding: .1em .3em; border-radius: .3em; }
code .word { white-space: nowrap; }
/* On a line of its own, and broken only where it is wider than that. */
code .long { display: inline-block; max-width: 100%; white-space: normal; background: inherit; border-radius: inherit; }
main :is(p, li, td, th) { overflow-wrap: break-word; }
pre { background: var(--soft); padding: .9em 1em; white-space: pre; overflow-x: auto; border-radius: .5em; line-height: 1.45; margin: 1em 0; }
pre code { padding: 0; background: none; }
.code { position: relative; }
.code > button { position: absolute; top: .4em; right: .4em; font-size: .8em; padding: .15em .6em; background: var(--paper); opacity: .85; }
.code > button:is(:hover, :focus-visible) { opacity: 1; }
/* The button would cover the end of a long first line: it is shown while the pointer is on the code, or has a line of its own. */
@media (hover: hover) { .code:not(:hover) > button:not(:focus-visible) { opacity: 0; } }
@media (hover: none) { .code:has(> button) > pre { padding-top: 2.6em; } }
.code-comment { color: var(--quiet); font-style: italic; }
.code-string { color: light-dark(#0a6640, #7ee2a8); }
.code-keyword { color: light-dark(#8a1c7c, #f0a8e6); }
.code-attr { color: light-dark(#0b4fb3, #9cc2ff); }
.code-number { color: light-dark(#8f4a00, #ffc078); }
.scroll { overflow-x: auto; margin: 1em 0; }
.scroll > table { margin: 0; }
table { border-collapse: collapse; font-size: .93em; margin: 1em 0; }
th, td { border: 1px solid var(--line); padding: .35em .6em; text-align: left; vertical-align: top; }
th { background: var(--soft); }
.example { border: 0; margin: 1em 0; padding: 0; min-width: 0; }
.example legend { position: absolute; left: -100em; }
.example > input { position: absolute; opacity: 0; }
.example > label { display: inline-block; padding: .2em .8em; border-radius: .4em .4em 0 0; color: var(--quiet); cursor: pointer; }
.example > :checked + label { background: var(--soft); color: inherit; font-weight: 600; box-shadow: inset 0 2px var(--link); }
.example > :focus-visible + label { outline: 2px solid var(--link); outline-offset: -2px; }
.panel pre { margin: 0; border-top-left-radius: 0; }
.example > input:nth-of-type(1):not(:checked) ~ .panel:nth-of-type(1), .example > input:nth-of-type(2):not(:checked) ~ .panel:nth-of-type(2), .example > input:nth-of-type(3):not(:checked) ~ .panel:nth-of-type(3) { display: none; }
.hits { padding: 0; list-style: none; }
.hits li { margin: 0 0 1.2em; }
.hits p { margin: .1em 0; color: var(--quiet); }
footer { margin-top: 3em; padding-top: .8em; border-top: 1px solid var(--line); font-size: .9em; }
@media (min-width: 64em) {
  .columns { grid-template-columns: 15em minmax(0, 1fr); }
  main { padding: .2em 2em 4em; }
  .pages { border: 0; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; }
  @supports selector(::details-content) {
    .pages summary { display: none; }
    .pages::details-content { content-visibility: visible; display: block; block-size: auto; }
    .pages nav { padding: .6em 0 1em; }
  }
}
@media (min-width: 80em) {
  .columns:has(.here) { grid-template-columns: 15em minmax(0, 1fr) 15em; }
  .here { display: block; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: .6em 1.2em 1em 0; }
}
@media (max-width: 48em) {
  pre { font-size: .92em; padding: .7em .8em; }
  thead { position: absolute; left: -100em; }
  table, tbody, tr { display: block; }
  tr { border: 1px solid var(--line); border-radius: .4em; margin: 0 0 .7em; padding: .3em .7em; }
  td { display: block; border: 0; padding: .2em 0; }
  td:empty { display: none; }
  td:first-child { font-weight: 600; }
  td:not(:first-child)::before { content: attr(data-head); display: block; color: var(--quiet); font-size: .86em; line-height: 1.3; }
}
@media print { header, .pages, .here, .example > label { display: none; } .example > .panel { display: block !important; } }
`;

/** Two databases, and the way between them. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="none" stroke="#0b57d0" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"><ellipse cx="8" cy="8" rx="5" ry="3"/><path d="M3 8v13c0 1.7 2.200 3 5 3s5-1.300 5-3V8"/><ellipse cx="24" cy="11" rx="5" ry="3"/><path d="M19 11v13c0 1.700 2.200 3 5 3s5-1.300 5-3V11M16 4h5l-2-2m2 2-2 2"/></g></svg>
`;
