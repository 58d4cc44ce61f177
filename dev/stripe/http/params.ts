import { invalid } from "../state/errors.ts";
import type { Form } from "./form.ts";

/** What a parameter may be. `clearable` is text that an empty value removes; a list of words is an enum. */
export type Shape =
  | "string"
  | "clearable"
  | "integer"
  | "boolean"
  | "metadata"
  /** A time, or `{gt, gte, lt, lte}`. */
  | "times"
  | readonly string[]
  | { list: Shape }
  | Fields;

export interface Fields {
  fields: Readonly<Record<string, Shape>>;
  required?: readonly string[];
}

type Raw = Form | string;

/** Reads an operation's parameters. Errors: Stripe's, for the first that is wrong, unknown or missing. */
export const readParams = (form: Form, shape: Fields, at = ""): Record<string, unknown> => {
  const result: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(form)) {
    const path = at === "" ? name : `${at}[${name}]`;
    const known = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (known === undefined) {
      throw invalid(`Received unknown parameter: ${path}`, { code: "parameter_unknown", param: path });
    }
    result[name] = read(raw, known, path);
  }
  for (const name of shape.required ?? []) {
    const path = at === "" ? name : `${at}[${name}]`;
    if (result[name] === undefined) {
      throw invalid(`Missing required param: ${path}.`, { code: "parameter_missing", param: path });
    }
  }
  return result;
};

const read = (raw: Raw, shape: Shape, path: string): unknown => {
  if (shape === "metadata") return raw === "" ? {} : texts(group(raw, path), path);
  if (shape === "times") return typeof raw === "string" ? integer(raw, path) : readParams(raw, timeRange, path);
  if (typeof shape === "string") return scalar(text(raw, path), shape, path);
  if ("list" in shape) {
    const list = shape.list;
    return Object.entries(group(raw, path)).map(([index, item]) => read(item, list, `${path}[${index}]`));
  }
  if ("fields" in shape) return readParams(group(raw, path), shape, path);
  const word = text(raw, path);
  if (shape.includes(word)) return word;
  const last = shape.at(-1) ?? "";
  const words = shape.length > 1 ? `one of ${shape.slice(0, -1).join(", ")} or ${last}` : last;
  throw invalid(`Invalid ${path}: must be ${words}`, { param: path });
};

const timeRange: Fields = { fields: { gt: "integer", gte: "integer", lt: "integer", lte: "integer" } };

const scalar = (value: string, shape: "string" | "clearable" | "integer" | "boolean", path: string): unknown => {
  if (shape === "clearable") return value;
  if (value === "") {
    const message = `You passed an empty string for '${path}'. We assume empty values are an attempt to unset a parameter; however '${path}' cannot be unset. You should remove '${path}' from your request or supply a non-empty value.`;
    throw invalid(message, { code: "parameter_invalid_empty", param: path });
  }
  if (shape === "string") return value;
  if (shape === "integer") return integer(value, path);
  if (value !== "true" && value !== "false") throw invalid(`Invalid boolean: ${value}`, { param: path });
  return value === "true";
};

const integer = (value: string, path: string): number => {
  const number = Number(value);
  if (/^-?\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw invalid(`Invalid integer: ${value}`, { code: "parameter_invalid_integer", param: path });
};

const text = (raw: Raw, path: string): string => {
  if (typeof raw === "string") return raw;
  throw invalid(`Invalid string: ${JSON.stringify(raw)}`, { param: path });
};

const group = (raw: Raw, path: string): Form => {
  if (typeof raw !== "string") return raw;
  throw invalid("Invalid object", { param: path });
};

const texts = (form: Form, path: string): Record<string, string> =>
  Object.fromEntries(Object.entries(form).map(([name, raw]) => [name, text(raw, `${path}[${name}]`)]));
