import { refuse } from "../refusal.ts";
import { int } from "../types.ts";
import { constantNumber } from "./numbers.ts";
import { asNumber, asText, constantText, made, type PostgresContext, type PostgresTerm, worst } from "./term.ts";
import { searchable } from "./texts.ts";

/** MySQL's functions of text. */

const unlimited = 2n ** 32n - 1n;

/** Text made of texts; literals take the others' collation. */
function textOf(sql: string, parts: readonly PostgresTerm[], more: Partial<PostgresTerm> = {}): PostgresTerm {
  const texts = parts.filter(({ type }) => type.kind === "text");
  let collation: string | undefined;
  let mixed = false;
  for (const { type } of texts) {
    const own = type.kind === "text" ? type.collation : undefined;
    mixed ||= collation !== undefined && own !== undefined && own !== collation;
    collation ??= own;
  }
  const ascii = texts.every(({ type }) => type.kind === "text" && type.ascii);
  return made(sql, { kind: "text", collation: mixed ? "a mix of collations" : collation, ascii }, "text", parts, more);
}

const lengthOf = (sql: string, part: PostgresTerm): PostgresTerm => made(sql, int(0n, unlimited), "integer", [part]);

function onlyText(name: string, term: PostgresTerm): PostgresTerm {
  if (term.type.kind === "text" || term.type.kind === "enum") return asText(term);
  return refuse(`${name}() of what is no text`);
}

type Function = (
  context: PostgresContext,
  name: string,
  args: readonly [PostgresTerm, ...PostgresTerm[]],
) => PostgresTerm | undefined;

/** A function of literal counts and fills. */
const countOf = (name: string, term: PostgresTerm | undefined, most = Number.POSITIVE_INFINITY): number => {
  const count = constantNumber(term);
  if (count === undefined || count < 0 || count > most) return refuse(`${name}() by what is no small literal`);
  return count;
};

const concat: Function = (_, __, args) => {
  const texts = args.map(asText);
  return textOf(`(${texts.map(({ sql }) => sql).join(" || ")})`, texts);
};

const concatWs: Function = (_, __, args) => {
  const texts = args.map(asText);
  return textOf(`concat_ws(${texts.map(({ sql }) => sql).join(", ")})`, texts, {
    nullable: texts[0]?.nullable === true,
    stability: worst(...texts, { stability: "stable" }),
  });
};

const characters: Function = (_, name, [a]) => {
  const value = onlyText(name, a);
  return lengthOf(`char_length(${value.sql})`, value);
};

const octets: Function = (_, name, [a]) => {
  if (a.type.kind === "bytes") return lengthOf(`octet_length(${a.sql})`, a);
  const value = onlyText(name, a);
  return lengthOf(`octet_length(${inUtf8(name, value).sql})`, value);
};

const cased =
  (word: string): Function =>
  (context, name, [a]) => {
    const value = onlyText(name, a);
    if (value.type.kind === "text" && !value.type.ascii)
      context.doubt(`${name}() of text that is not known to be ASCII: the engines know different letters`);
    return textOf(`${word}(${value.sql})`, [value]);
  };

const side: Function = (_, name, [a, b]) => {
  const count = countOf(name, b);
  const value = onlyText(name, a);
  return textOf(`"${name.toLowerCase()}"(${value.sql}, ${count})`, [value]);
};

const part: Function = (_, name, [a, b, c]) => substring(onlyText(name, a), b, c);
const trim: Function = (_, name, [a, b]) => trimmed(name, onlyText(name, a), b);

const replace: Function = (_, name, args) => {
  const texts = args.map((arg) => onlyText(name, arg));
  // MariaDB looks at it only where there is something to replace.
  if (texts[2]?.nullable === true) return refuse("REPLACE() by what may be NULL");
  if (texts.length !== 3) return undefined;
  const whole = textOf(`replace(${texts.map(({ sql }) => sql).join(", ")})`, texts);
  const [own, other] = [texts[0]?.type, whole.type].map((type) => (type?.kind === "text" ? type.collation : undefined));
  // MySQL goes by the first text alone, MariaDB by all.
  const literal = own === undefined && other !== undefined;
  return literal ? { ...whole, type: { ...whole.type, collation: "of the session" } as PostgresTerm["type"] } : whole;
};

const reverse: Function = (_, name, [a]) => {
  const value = onlyText(name, a);
  return textOf(`reverse(${value.sql})`, [value]);
};

const repeat: Function = (_, name, [a, b]) => {
  const count = countOf(name, b, 10_000);
  const value = onlyText(name, a);
  return textOf(`repeat(${value.sql}, ${count})`, [value]);
};

const pad: Function = (_, name, [a, b, c]) => {
  const count = countOf(name, b);
  const fill = c === undefined ? undefined : constantText(c);
  if (c === undefined || fill === undefined || fill === "") return refuse(`${name}() by what is no literal`);
  const value = asText(a);
  return textOf(`${name.toLowerCase()}(${value.sql}, ${count}, ${c.sql})`, [value]);
};

const place: Function = (context, name, [a, b, c]) => {
  if (b === undefined || c !== undefined) return refuse(`${name}() from a place on`);
  const [value, sought] =
    name === "INSTR" ? [onlyText(name, a), onlyText(name, b)] : [onlyText(name, b), onlyText(name, a)];
  searchable(context, value, sought);
  return made(`strpos(${value.sql}, ${sought.sql})`, int(0n, unlimited), "integer", [value, sought]);
};

const md5: Function = (_, name, [a]) => {
  const value = inUtf8(name, onlyText(name, a));
  return made(`md5(${value.sql})`, { kind: "text", collation: undefined, ascii: true }, "text", [value]);
};

const convert: Function = (_, __, [a, b]) =>
  /^utf8(mb[34])?$/.test(b === undefined ? "" : (constantText(b) ?? ""))
    ? { ...asText(a) }
    : refuse("CONVERT to another character set");

const functions: Record<string, Function> = {
  CONCAT: concat,
  CONCAT_WS: concatWs,
  CHAR_LENGTH: characters,
  CHARACTER_LENGTH: characters,
  LENGTH: octets,
  OCTET_LENGTH: octets,
  UPPER: cased("upper"),
  UCASE: cased("upper"),
  LOWER: cased("lower"),
  LCASE: cased("lower"),
  LEFT: side,
  RIGHT: side,
  SUBSTR: part,
  SUBSTRING: part,
  MID: part,
  TRIM: trim,
  LTRIM: trim,
  RTRIM: trim,
  "TRIM BOTH": trim,
  "TRIM LEADING": trim,
  "TRIM TRAILING": trim,
  REPLACE: replace,
  REVERSE: reverse,
  REPEAT: repeat,
  LPAD: pad,
  RPAD: pad,
  INSTR: place,
  LOCATE: place,
  POSITION: place,
  MD5: md5,
  "CONVERT USING": convert,
};

/** Undefined: no function of text is called so. */
export function ofText(
  context: PostgresContext,
  name: string,
  args: readonly PostgresTerm[],
): PostgresTerm | undefined {
  const [first, ...others] = args;
  return first === undefined ? undefined : functions[name]?.(context, name, [first, ...others]);
}

/** Bytes are counted alike where the source holds UTF-8, or nothing but ASCII. */
function inUtf8(name: string, term: PostgresTerm): PostgresTerm {
  const { type } = term;
  if (type.kind !== "text" || type.ascii || (type.collation !== undefined && /^utf8/i.test(type.collation)))
    return term;
  return refuse(`${name}() counts the bytes of a character set that is not UTF-8`);
}

function substring(
  value: PostgresTerm,
  from: PostgresTerm | undefined,
  length: PostgresTerm | undefined,
): PostgresTerm {
  const start = constantNumber(from);
  if (start === undefined || start < 1) return refuse("SUBSTRING from what is no literal above zero");
  if (length === undefined) return textOf(`substr(${value.sql}, ${start})`, [value]);
  const count = asNumber(length);
  if (count.type.kind !== "int" || count.type.min < 0n) return refuse("SUBSTRING of a length that may be below zero");
  return textOf(`substr(${value.sql}, ${start}, (${count.sql})::integer)`, [value, count]);
}

function trimmed(name: string, value: PostgresTerm, what: PostgresTerm | undefined): PostgresTerm {
  const word = /LTRIM|LEADING/.test(name) ? "ltrim" : /RTRIM|TRAILING/.test(name) ? "rtrim" : "btrim";
  const removed = what === undefined ? " " : constantText(what);
  // PostgreSQL removes any of the characters, MySQL the whole.
  if (removed === undefined || [...removed].length !== 1) return refuse("TRIM of what is no single character");
  return textOf(`${word}(${value.sql}, ${what?.sql ?? "' '::text"})`, [value]);
}
