/** Kubernetes' quantities: the API server writes `1000` back as `1k`, so that texts cannot be compared. */

const suffixes: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Its number; NaN of what is none. */
export function quantity(text: string): number {
  const [, number, exponent, suffix = ""] = /^([+-]?[0-9.]+)(?:([eE][+-]?[0-9]+)|([A-Za-z]{1,2}))?$/.exec(text) ?? [];
  const times = suffixes[suffix];
  return number === undefined || times === undefined ? Number.NaN : Number(`${number}${exponent ?? ""}`) * times;
}

/** Whether two lists of quantities say the same. */
export function sameQuantities(a: Record<string, string> = {}, b: Record<string, string> = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => b[name] !== undefined && quantity(a[name] ?? "") === quantity(b[name]))
  );
}
