/** A form's value as it came: text, or names in brackets below it. A list has its indexes as names. */
export type Form = { [name: string]: Form | string };

/**
 * Reads `a=1&b[c]=2&d[0][e]=3&f[]=4`, as Stripe's clients send parameters. A name that is used both as text and as a
 * group keeps the last.
 */
export const readForm = (text: string): Form => {
  const form: Form = blankForm();
  for (const [name, value] of new URLSearchParams(text)) {
    const [, first = name, rest = ""] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
    const path = [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, part = ""]) => part)];
    put(form, path, value);
  }
  return form;
};

const put = (form: Form, [name = "", ...rest]: string[], value: string): void => {
  const key = name === "" ? String(Object.keys(form).length) : name;
  if (rest.length === 0) {
    form[key] = value;
    return;
  }
  const below = form[key];
  const next = typeof below === "object" ? below : blankForm();
  form[key] = next;
  put(next, rest, value);
};

// Names are a caller's: `__proto__` is one like any other.
const blankForm = (): Form => Object.create(null) as Form;
