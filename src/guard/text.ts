/** What a person reads, in a terminal or on a page: safe to print, and short. */

/** A terminal that shows the status must not obey it. */
export const clean = (text: string, most: number): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ").slice(0, most);

/** Without percent-encoding, where it can be read. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** At most so many UTF-16 units, without half a character at the end. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Bytes for a person, decimal: `823 MB`. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** Seconds for a person: `45s`, `3m20s`, `2h5m`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h${Math.floor((whole % 3600) / 60)}m`;
}

/** A whole number: `12,000`. Intl, which writes it so too, takes 15 ms to begin. */
export function numberText(value: number): string {
  const digits = String(value);
  const first = digits.length % 3 || 3;
  return [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].join(",");
}

/** A number and its noun: `1 table`, `12,000 rows`. */
export const counted = (count: number, noun: string): string => `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
