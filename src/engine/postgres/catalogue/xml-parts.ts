import type { Session } from "../driver/connection.ts";
import { identifier } from "../driver/names.ts";

/**
 * Columns whose arrays or composite types hold xml. PostgreSQL's output of xml, also within these, lacks the encoding, and
 * all of a declaration that says no more than the defaults; a cast to text keeps what was stored.
 */
export interface XmlParts {
  /** SQL of a value as its type's output, as text, with all declarations. */
  text(value: string): string;
  /** SQL of the same as to_json() makes it. */
  json(value: string): string;
}

/** SQL of a value of xml, or of a domain of it, as it was stored. */
export const storedXml = (value: string): string => `${value}::pg_catalog.text`;

interface TypeRow {
  oid: number;
  name: string;
  /** Of a domain. */
  base: number | null;
  /** Of an array. */
  element: number | null;
  fields: { name: string; of: number }[] | null;
}

const xml = 142;
const arrayOfXml = 143;
/** The first oid of a type that a user or an extension made. */
const firstOfUsers = 16_384;

/** By the table's oid, by column. `condition`: on the table `c` in the schema `n`. Only reads. */
export async function readXmlParts(session: Session, condition: string): Promise<Map<number, Map<string, XmlParts>>> {
  const columns = `FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relkind IN ('r', 'p', 'm', 'f') AND ${condition}`;
  const rows = await session.query<TypeRow>(
    `WITH RECURSIVE part AS (
       SELECT DISTINCT a.atttypid AS oid ${columns} AND (a.atttypid >= ${firstOfUsers} OR a.atttypid = ${arrayOfXml})
       UNION
       SELECT next.oid FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid
        CROSS JOIN LATERAL (
              SELECT t.typbasetype AS oid WHERE t.typtype = 'd'
              UNION ALL SELECT t.typelem WHERE ${isArray}
              UNION ALL SELECT f.atttypid FROM pg_catalog.pg_attribute f WHERE t.typtype = 'c' AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped) next)
     SELECT t.oid::int8 AS oid, pg_catalog.format_type(t.oid, NULL) AS name,
            CASE WHEN t.typtype = 'd' THEN t.typbasetype::int8 END AS base, CASE WHEN ${isArray} THEN t.typelem::int8 END AS element,
            CASE WHEN t.typtype = 'c' THEN
              (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('name', f.attname, 'of', f.atttypid::int8) ORDER BY f.attnum)
                 FROM pg_catalog.pg_attribute f WHERE f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped) END AS fields
       FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid`,
  );
  const found = new Map<number, Map<string, XmlParts>>();
  if (!rows.some(({ oid }) => oid === xml)) return found;
  const types = new Map(rows.map((row) => [row.oid, row]));
  const forms = new Map([...types.keys()].map((oid) => [oid, formsOf(oid, types)]));
  const holding = [...forms].filter(([, form]) => form !== undefined && !form.plain).map(([oid]) => oid);
  const held = await session.query<{ table: number; column: string; type: number }>(
    `SELECT c.oid::int8 AS table, a.attname AS column, a.atttypid::int8 AS type ${columns} AND a.atttypid = ANY ($1::pg_catalog.oid[])`,
    [`{${holding.join(",")}}`],
  );
  for (const { table, column, type } of held) {
    const form = forms.get(type) as Forms;
    const parts: XmlParts = { text: (value) => form.text(value, 0), json: (value) => form.json(value, 0) };
    found.set(table, (found.get(table) ?? new Map<string, XmlParts>()).set(column, parts));
  }
  return found;
}

const isArray = "(t.typtype = 'b' AND t.typcategory = 'A' AND t.typelem <> 0)";

/** `depth`: of arrays around the value, whose subscripts have names. */
type Form = (value: string, depth: number) => string;

interface Forms {
  text: Form;
  json: Form;
  /** xml itself, below all domains. */
  plain: boolean;
}

/** Undefined: no xml is in it. */
function formsOf(oid: number, types: ReadonlyMap<number, TypeRow>): Forms | undefined {
  if (oid === xml) return { text: storedXml, json: storedXml, plain: true };
  const { base, element, fields } = types.get(oid) ?? {};
  if (base) {
    const form = formsOf(base, types);
    const cast = (value: string) => `${value}::${types.get(base)?.name}`;
    return (
      form && {
        text: (value, depth) => form.text(cast(value), depth),
        json: (value, depth) => form.json(cast(value), depth),
        plain: form.plain,
      }
    );
  }
  if (element) {
    const form = formsOf(element, types);
    if (form === undefined) return undefined;
    const texts = (value: string) => `${value}::pg_catalog.text[]`;
    if (form.plain)
      return {
        text: (value) => storedXml(texts(value)),
        json: (value) => `pg_catalog.to_json(${texts(value)})`,
        plain: false,
      };
    return { ...arrays(form), plain: false };
  }
  if (!fields) return undefined;
  const forms = fields.map(({ name, of }) => ({ name: identifier(name), form: formsOf(of, types) }));
  if (forms.every(({ form }) => form === undefined)) return undefined;
  const record =
    (of: "text" | "json", whole: string): Form =>
    (value, depth) => {
      const list = forms.map(({ name, form }) => {
        const field = `(${value}).${name}`;
        return `${form === undefined ? field : form[of](field, depth)} AS ${name}`;
      });
      return `CASE WHEN ${value} IS DISTINCT FROM NULL THEN (SELECT ${whole} FROM (SELECT ${list.join(", ")}) ${row}) END`;
    };
  return {
    text: record("text", `${row}::pg_catalog.text`),
    json: record("json", `pg_catalog.to_json(${row})`),
    plain: false,
  };
}

const row = '"rowferry row"';
/** PostgreSQL's own limit. */
const mostDimensions = 6;

/** Of an array's elements, each made by its form, in as many dimensions as the value has. */
function arrays(form: Forms): Pick<Forms, "text" | "json"> {
  const elements = (value: string, depth: number, of: "text" | "json") => {
    const subscript = (dimension: number) => `"rowferry ${depth}.${dimension}"`;
    const nested = (dimension: number, all: number): string => {
      const subscripts = Array.from({ length: all }, (_, at) => `[${subscript(at + 1)}]`).join("");
      const one = dimension === all ? form[of](`(${value})${subscripts}`, depth + 1) : nested(dimension + 1, all);
      const name = subscript(dimension);
      const list = `ARRAY(SELECT ${one} FROM pg_catalog.generate_subscripts(${value}, ${dimension}) ${name} ORDER BY ${name})`;
      return of === "json" ? `pg_catalog.to_json(${list})` : list;
    };
    const more = Array.from({ length: mostDimensions - 1 }, (_, at) => `WHEN ${at + 2} THEN ${nested(1, at + 2)}`);
    return `CASE pg_catalog.array_ndims(${value}) ${more.join(" ")} ELSE ${nested(1, 1)} END`;
  };
  const unlessNull = (value: string, sql: string) => `CASE WHEN ${value} IS DISTINCT FROM NULL THEN ${sql} END`;
  return {
    json: (value, depth) => unlessNull(value, elements(value, depth, "json")),
    text(value, depth) {
      const dims = `pg_catalog.array_dims(${value})`;
      const bounds = `CASE WHEN ${dims} ~ '\\[(?!1:)' THEN ${dims} || '=' ELSE '' END`;
      return unlessNull(value, `${bounds} || (${elements(value, depth, "text")})::pg_catalog.text`);
    },
  };
}
