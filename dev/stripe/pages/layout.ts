/** Text for HTML: content and attributes in double quotes. */
export const html = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** An amount of Stripe's, which counts in the currency's smallest unit, as people write it. */
export const money = (amount: number, currency: string): string => {
  const format = new Intl.NumberFormat("en", { style: "currency", currency: currency.toUpperCase() });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
};

export const day = (seconds: number): string =>
  new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(new Date(seconds * 1000));

const style = `
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 32rem; padding: 1rem; overflow-wrap: anywhere; }
  .notice { border: 2px solid; padding: .5rem .75rem; margin: 0 0 1rem; }
  .error { border-inline-start: .4rem solid #c2002f; padding: .25rem .75rem; }
  form { display: grid; gap: .75rem; }
  label { display: grid; gap: .25rem; }
  input, button, .button { font: inherit; padding: .6rem .75rem; min-height: 2.75rem; box-sizing: border-box; width: 100%; }
  button.main { background: #1a4fd6; border: 0; color: #fff; font-weight: 600; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
  dd { margin: 0; text-align: end; }
`;

/** A whole page. `body` is HTML; `title` is text. No script, nothing from elsewhere. */
export const layout = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${html(title)} · Stripe simulator</title>
<style>${style}</style>
</head>
<body>
<p class="notice" role="note"><strong>This is a simulator of Stripe for tests. No money moves.</strong> Do not type in a real card.</p>
<main>
<h1>${html(title)}</h1>
${body}
</main>
</body>
</html>
`;
