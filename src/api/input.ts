import * as z from "zod";
import { type FieldError, Problem } from "../requests/errors.ts";
import { shown } from "./json.ts";

/** Checks a request's input by its schema; what is not right becomes one sentence for each field, with its fix. */

type Issue = z.core.$ZodIssue;

const pathOf = (path: readonly PropertyKey[], name?: PropertyKey): string =>
  [...path, ...(name === undefined ? [] : [name])].map((part) => shown(String(part))).join(".");

const kindNames: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  null: "null",
};

const units: Record<string, string> = { string: "characters", array: "entries", set: "entries", map: "entries" };

function sizeSentence(issue: Issue & { code: "too_big" | "too_small" }): string {
  const unit = units[issue.origin];
  const bound = issue.code === "too_big" ? issue.maximum : issue.minimum;
  const least = issue.code === "too_small";
  const words = issue.inclusive === false ? (least ? "more than" : "less than") : least ? "at least" : "at most";
  if (unit !== undefined && least && Number(bound) === 1) return "must not be empty";
  return unit === undefined ? `must be ${words} ${bound}` : `must have ${words} ${bound} ${unit}`;
}

const formats: Record<string, string> = {
  email: "must be an e-mail address, such as ann@example.com",
  uuid: "must be a UUID",
  datetime: "must be a time in ISO 8601, such as 2030-01-31T12:00:00Z or 2030-01-31T13:00:00+01:00",
  url: "must be a URL",
};

const present = (input: unknown): boolean => input !== undefined;

/** A schema's own words stand where they are a sentence of ours: zod's begin with "Invalid", "Too" or "Unrecognized". */
const ownWords = (issue: Issue): string | undefined =>
  /^(Invalid|Too (big|small)|Unrecognized|Required)/.test(issue.message) ? undefined : issue.message;

function sentence(issue: Issue): string {
  const own = ownWords(issue);
  if (own !== undefined) return own;
  if (issue.code === "invalid_type")
    return present(issue.input)
      ? `must be ${kindNames[issue.expected] ?? issue.expected}`
      : `is required (${(kindNames[issue.expected] ?? issue.expected).replace(/^an? /, "")})`;
  if (issue.code === "too_big" || issue.code === "too_small") return sizeSentence(issue);
  if (issue.code === "invalid_value") {
    const values = issue.values.map((value) => JSON.stringify(value)).join(", ");
    return `${present(issue.input) ? "must be" : "is required:"} ${issue.values.length === 1 ? "" : "one of "}${values}`;
  }
  if (issue.code === "invalid_format")
    return (
      formats[issue.format] ?? ("pattern" in issue && issue.pattern ? `must match ${issue.pattern}` : "is malformed")
    );
  if (issue.code === "not_multiple_of") return `must be a multiple of ${issue.divisor}`;
  return "is not accepted here";
}

/** The fields that a schema has at a path; undefined where they depend on the value. */
function fieldsAt(schema: unknown, path: readonly PropertyKey[]): string[] | undefined {
  const at = unwrapped(schema);
  const [part, ...rest] = path;
  if (at instanceof z.ZodObject)
    return part === undefined ? Object.keys(at.shape) : fieldsAt(at.shape[String(part)], rest);
  return at instanceof z.ZodArray && part !== undefined ? fieldsAt(at.element, rest) : undefined;
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap())
    : schema;
}

/** As in camelCase, snake_case and kebab-case alike. */
const letters = (name: string): string => name.replace(/[_-]/g, "").toLowerCase();

/** `isMistyped`: of a field that is there by another spelling. */
type InputError = FieldError & { isMistyped?: boolean };

function unknownFields(issue: Issue & { code: "unrecognized_keys" }, schema: z.ZodObject): InputError[] {
  const known = fieldsAt(schema, issue.path);
  const list =
    known === undefined
      ? ""
      : known.length === 0
        ? "; no fields are allowed here"
        : `; allowed are ${known.join(", ")}`;
  return issue.keys.slice(0, 20).map((key) => {
    const meant = known?.find((name) => letters(name) === letters(key));
    const fix = meant === undefined ? `remove it${list}` : `use \`${meant}\``;
    return { field: pathOf(issue.path, key), message: `is unknown: ${fix}`, isMistyped: meant !== undefined };
  });
}

function fieldErrors(issues: readonly Issue[], schema: z.ZodObject): InputError[] {
  return issues.flatMap((issue): InputError[] => {
    if (issue.code === "unrecognized_keys") return unknownFields(issue, schema);
    if (issue.code === "invalid_union") {
      // Of the ways that a value may be, the one that it came nearest to says the most.
      const [nearest] = [...issue.errors].sort((a, b) => depth(b) - depth(a) || a.length - b.length);
      if (nearest !== undefined && nearest.length > 0)
        return fieldErrors(
          nearest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
          schema,
        );
    }
    return [{ field: pathOf(issue.path), message: sentence(issue) }];
  });
}

const depth = (issues: readonly Issue[]): number => Math.max(0, ...issues.map(({ path }) => path.length));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Paths of fields that stand in the input and that no schema at any level took over. */
function dropped(input: unknown, output: unknown, path: readonly PropertyKey[] = []): PropertyKey[][] {
  if (Array.isArray(input) && Array.isArray(output))
    return input.flatMap((entry, at) => dropped(entry, output[at], [...path, at]));
  if (!isObject(input) || !isObject(output)) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    Object.hasOwn(output, name) ? dropped(value, output[name], [...path, name]) : [[...path, name]],
  );
}

/** The checked value. Throws Problem `invalid`; fields that the schema does not name are refused at every level of it. */
export function check(
  schema: z.ZodObject,
  value: unknown,
  where: "body" | "query" | "path" | "arguments",
): Record<string, unknown> {
  const parsed = schema.strict().safeParse(value, { reportInput: true });
  const issues: readonly Issue[] = parsed.success
    ? dropped(value, parsed.data).map((path) => ({
        code: "unrecognized_keys",
        keys: [String(path.at(-1))],
        path: path.slice(0, -1),
        message: "Unrecognized",
      }))
    : parsed.error.issues;
  if (parsed.success && issues.length === 0) return parsed.data;
  // A mistyped name is why another field is missing.
  const errors = fieldErrors(issues, schema)
    .sort((a, b) => Number(b.isMistyped ?? false) - Number(a.isMistyped ?? false))
    .slice(0, 50);
  throw invalid(
    errors.map(({ field, message }) => ({ field: field === "" ? where : field, message })),
    where,
  );
}

export function invalid(
  errors: readonly FieldError[],
  where: "body" | "query" | "path" | "headers" | "arguments",
): Problem {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  const place = first?.field === where ? `The ${where}` : `In the ${where}: ${first?.field}`;
  return new Problem("invalid", `${place} ${first?.message}${more}.`, { errors });
}

/** A query string by name; a name that stands twice is refused, since readers differ in which they take. */
export function readQuery(query: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (found.has(name)) throw invalid([{ field: shown(name), message: "is repeated: send it once" }], "query");
    found.set(name, value);
  }
  return Object.fromEntries(found);
}
