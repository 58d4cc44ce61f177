/**
 * Whether a column that is there takes every value of a type as it is, or fails on those that it does not take: what would be
 * cut, rounded or written anew without an error is not let in. Types as format_type writes them, below domains. Pure.
 */

export interface Fitted {
  /** As the server writes it, below a domain. */
  type: string;
  isEnum: boolean;
}

interface Type {
  name: string;
  size: number[];
}

const parse = (type: string): Type => {
  const size = /\(([\d,-]+)\)/.exec(type);
  const name = type.replace(/\([\d,-]+\)/, "").trim();
  return { name, size: size?.[1]?.split(",").map(Number) ?? [] };
};

const integers = ["smallint", "integer", "bigint"];
const texts = ["character varying", "text"];

/** Digits of seconds that a type keeps. */
const digits = ({ size: [given = 6] }: Type) => given;

export function fits(source: Fitted, target: Fitted): boolean {
  if (source.type === target.type) return true;
  if (source.isEnum && target.isEnum) return true;
  const [from, to] = [parse(source.type), parse(target.type)];
  if (texts.includes(to.name)) return fitsText(source, from, to);
  const same = from.name === to.name;
  // A number out of range is an error.
  if (integers.includes(from.name)) return integers.includes(to.name) || (to.name === "numeric" && isWhole(to));
  switch (from.name) {
    case "numeric":
      if (integers.includes(to.name)) return true;
      return same && (to.size.length === 0 || (from.size.length === 2 && (to.size[1] ?? 0) >= (from.size[1] ?? 0)));
    case "date":
      return to.name.startsWith("timestamp without");
    case "character":
    case "bit":
      return false;
    case "bit varying":
      return same && wider(from, to);
    case "jsonb":
      return to.name === "json";
    case "inet":
      return false;
    case "cidr":
      return to.name === "inet";
    default:
      return same && /^(time|timestamp)\b/.test(from.name) && digits(to) >= digits(from);
  }
}

/** Of a number without digits behind the point: a negative scale rounds. */
const isWhole = ({ size: [, scale = 0] }: Type) => scale >= 0;

const wider = ({ size: [has] }: Type, { size: [room] }: Type) =>
  room === undefined || (has !== undefined && has <= room);

/** Spaces at the end go without an error where a text is too long. */
const fitsText = (source: Fitted, from: Type, to: Type) =>
  to.size.length === 0 || (texts.includes(from.name) ? wider(from, to) : !/^(character|citext)/.test(source.type));
