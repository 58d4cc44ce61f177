import { decoded } from "./text.ts";

/**
 * Takes secrets out of text. Everything that leaves the worker in words (log lines, entries of the log, messages,
 * warnings, notes) passes through one redactor, which has learnt the run's connection URLs before they are used.
 * Names from a catalogue are data and do not pass: a table may be called what somebody's password is.
 */
export interface Redactor {
  /** Learns a connection URL: the whole of it, its password and its user-and-password pair. It need not be well-formed. */
  learnUrl(url: string): void;
  /** Learns any other secret, such as a token. */
  learn(secret: string): void;
  clean(text: string): string;
}

const mark = "[redacted]";
/** A backslash, as it is or percent-encoded. */
const backslash = "\\\\|%5[cC]";

export function createRedactor(): Redactor {
  const patterns = new Map<string, RegExp>();
  const learn = (secret: string) => {
    // Of one or two characters nothing is kept secret by hiding them, and every line would be made unreadable.
    if (secret.length < 3) return;
    for (const piece of pieces(secret)) if (!patterns.has(piece)) patterns.set(piece, patternOf(piece));
  };
  return {
    learn,
    learnUrl(url) {
      const trimmed = url.trim();
      const secrets = userInfos(trimmed);
      if (trimmed.length <= longestPiece || secrets.length === 0) learn(trimmed);
      for (const raw of secrets) {
        const password = raw.slice(raw.indexOf(":") + 1);
        // Of a long one the password alone, as it is: pieces of several forms would tear each other apart.
        if (raw.length > longestPiece) learn(decoded(password));
        else for (const form of [raw, password, decoded(password)]) learn(form);
      }
    },
    clean(text) {
      let result = text;
      // The longest first: a URL is taken out as a whole before its password is.
      const longestFirst = [...patterns].sort(([a], [b]) => b.length - a.length);
      for (const [, pattern] of longestFirst) result = result.replace(pattern, mark);
      return result;
    },
  };
}

/** A pattern is some hundred times as long as what it finds, and a long one is more than a regular expression may be. */
const longestPiece = 256;

/** A long secret piece by piece, none of them short: together they are found where it stands. */
function pieces(secret: string): string[] {
  const characters = [...secret];
  const count = Math.max(1, Math.round(characters.length / longestPiece));
  const size = Math.ceil(characters.length / count);
  return Array.from({ length: count }, (_, at) => characters.slice(at * size, (at + 1) * size).join(""));
}

/** `user:password` as written. A password with a raw `@` or `/` is malformed, yet a secret: both readings are taken. */
function userInfos(url: string): string[] {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  const authority = rest.split(/[/?#]/, 1)[0] ?? "";
  const readings = [authority, rest].map((text) => text.slice(0, Math.max(text.lastIndexOf("@"), 0)));
  return [...new Set(readings)].filter((reading) => reading.includes(":"));
}

/** Matches the secret plain, percent-encoded in whole or part, escaped as in JSON or SQL, in base64 and in hex. */
function patternOf(secret: string): RegExp {
  const written = runs(secret).map(formsOf).join("");
  const bytes = Buffer.from(secret, "utf8");
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("\\s?");
  return new RegExp([written, ...base64Forms(bytes).map(escapeRegExp), caseless(hex)].join("|"), "g");
}

interface Run {
  character: string;
  count: number;
  /** Backslashes right before it. */
  backslashes: number;
  isFirst: boolean;
}

/** A secret's characters, the same ones in a row as one: no two neighbours of the pattern may match the same text, or it could take for ever. */
function runs(secret: string): Run[] {
  return [...secret.matchAll(/(\\*)(?:([^\\])\2*|$)/gsu)].flatMap(([whole, backslashes = "", character = ""], at) =>
    whole === ""
      ? []
      : {
          character,
          count: character === "" ? 0 : (whole.length - backslashes.length) / character.length,
          backslashes: backslashes.length,
          isFirst: at === 0,
        },
  );
}

function formsOf({ character, count, backslashes, isFirst }: Run): string {
  // What a match begins with is counted: else a long row of it would be read again from each of its places.
  const before = `(?:${backslash}){${backslashes}${isFirst ? "" : ","}}`;
  if (character === "") return before;
  const percent = [...Buffer.from(character, "utf8")].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const unicode = units.map((unit) => `\\\\u${unit.toString(16).padStart(4, "0")}`).join("");
  const forms = [escapeRegExp(character), caseless(percent), caseless(unicode)];
  const short = /^"\\([bfnrt])"$/.exec(JSON.stringify(character))?.[1];
  if (short !== undefined) forms.push(short);
  if (character === " ") forms.push("\\+");
  const one = `(?:${forms.join("|")})`;
  if (/[a-z0-9]/i.test(character)) return `${before}${one}{${count}}`;
  // Escapes pile up where text is quoted within quoted text; SQL doubles quotes.
  return `${before}${one}(?:(?:${backslash})*${one}){${count - 1}${character === "'" && (!isFirst || backslashes > 0) ? "," : ""}}`;
}

/**
 * Base64 of a longer text that holds the secret shows it in one of three alignments; the characters at its edges
 * also depend on its neighbours and are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const from = offset === 0 ? 0 : offset + 1;
    const to = (offset + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    const core = text.slice(from, to);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
  // Three characters of base64 are met by chance in other words.
  return [...new Set(forms)].filter((form) => form.length >= 4);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** Letters of a pattern in either case (hex digits are written in both). */
function caseless(pattern: string): string {
  return pattern.replace(/(\\+[su]|[a-f])/g, (found) =>
    found.startsWith("\\") ? found : `[${found}${found.toUpperCase()}]`,
  );
}
