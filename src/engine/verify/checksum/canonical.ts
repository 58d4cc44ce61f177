import { canonicalJson } from "../../rows/canonical-json.ts";

/** Values that no SQL writes alike on both engines, made alike here: bytes in, canonical text out. */
export type CanonicalForm = "real" | "double" | "written" | "json" | "json-double" | "points";

/** Null stands for a value that has no home in the target (NaN, Infinity): by rule it is NULL there. */
export function canonicalText(canonicalForm: CanonicalForm, bytes: Buffer): string | null {
  switch (canonicalForm) {
    case "real":
      return number(Math.fround(Number(bytes.toString("latin1"))));
    case "double":
      return number(Number(bytes.toString("latin1")));
    case "written":
      return written(bytes.toString("utf8"));
    case "json":
    case "json-double":
      return canonicalJson(bytes.toString("utf8"), canonicalForm === "json-double");
    case "points":
      return points(bytes.toString("latin1"));
  }
}

function number(value: number): string | null {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return null;
}

/** A double in a column of texts: by its number, since MySQL writes some in two ways; any other text as it is. */
const written = (text: string): string =>
  /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/.test(text) ? (number(Number(text)) ?? text) : text;

/** `(1,2)`, `((0,0),(1,1))` and the hex of MySQL's geometry (SRID, then WKB) → coordinates. */
function points(text: string): string {
  if (text.startsWith("(")) return (text.match(/[-+.\dA-Za-z]+/g) ?? []).map((one) => number(Number(one))).join(" ");
  const bytes = Buffer.from(text, "hex");
  const type = bytes.readUInt32LE(5);
  const coordinates: (string | null)[] = [];
  // A point's two, or of a polygon's only ring all but the last, which is the first again.
  const [from, count] = type === 1 ? [9, 1] : [17, bytes.readUInt32LE(13) - 1];
  for (let at = 0; at < count * 2; at++) coordinates.push(number(bytes.readDoubleLE(from + at * 8)));
  return coordinates.join(" ");
}
