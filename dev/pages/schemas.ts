import { code } from "./table.ts";

/** JSON Schema of the OpenAPI document as words and rows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: Schema | boolean;
  /** Of the text that it is. */
  contentSchema?: Schema;
}

type Schemas = Readonly<Record<string, Schema>>;

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split("/").at(-1);

function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = nameOf(schema);
  return name === undefined ? schema : { ...schemas[name], ...schema };
}

/** Pages and places where a named shape is explained. */
const placeOf = (name: string): string =>
  name === "MigrationOptions" ? `[options](options.md)` : `[${name}](#${name.toLowerCase()})`;

function formatType(schema: Schema, schemas: Schemas): string {
  const name = nameOf(schema);
  if (name !== undefined) return placeOf(name);
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map((one) => formatType(one, schemas)))].join(" or ");
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((one) => code(String(one))).join(", ");
  if (schema.type === "array") return `list of ${formatType(schema.items ?? {}, schemas)}`;
  if (schema.format === "date-time") return "time";
  return [schema.type ?? "any"].flat().join(" or ");
}

/** A row for each field; those of a nested object have its name before theirs. */
export function fieldRows(schema: Schema, schemas: Schemas, before = ""): string[][] {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  return Object.entries(properties).flatMap(([name, field]) => {
    const [either] = (field.anyOf ?? []).filter(({ type }) => type !== "null");
    const inner = field.anyOf === undefined || field.anyOf.length > 2 ? field : (either ?? field);
    const listed = inner.type === "array" ? (inner.items ?? {}) : inner;
    const nested =
      nameOf(listed) !== undefined || listed.properties === undefined || name === "options"
        ? []
        : fieldRows(listed, schemas, `${before}${name}${inner.type === "array" ? "[]" : ""}.`);
    const optional = required.includes(name) ? "" : "optional, ";
    const words = field.description ?? inner.description ?? resolved(inner, schemas).description ?? "";
    return [[code(`${before}${name}`), `${optional}${formatType(field, schemas)}`, words], ...nested];
  });
}

/** Where the fields of an answer are explained, undefined where its example says enough. */
export function shapeOf(schema: Schema, schemas: Schemas): string | undefined {
  const own = nameOf(schema);
  if (own !== undefined && !/Answer\d*$/.test(own)) return placeOf(own);
  const { properties = {} } = resolved(schema, schemas);
  const names = Object.values(properties).flatMap((field) => {
    const name = nameOf(field) ?? nameOf(field.items ?? {});
    return name === undefined ? [] : [placeOf(name)];
  });
  return names.length === 0 ? undefined : [...new Set(names)].join(", ");
}
