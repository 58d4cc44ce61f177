import { piecesOf, splitList } from "../../engine/mysql/definitions/definition.ts";
import { historySetting, settings } from "./statements.ts";

/**
 * Which statements of an archive are run: those that Rowferry writes. An archive is untrusted input. Tables, sequences and code are made in
 * the session's database alone, and rows, indexes and keys go to what the archive itself made.
 */
interface Allowed {
  /** A statement of the schema or the finish. */
  defines(statement: string): boolean;
  /** A short statement between those of rows. */
  sets(statement: string): boolean;
  /** Rows. What follows VALUES is the server's to read. */
  inserts(statement: Buffer): boolean;
}

const rowSettings = new Set([...settings, historySetting, "START TRANSACTION", "COMMIT"]);

const name = "`(?:[^`]|``)*`";
const names = `${name}(?:, ?${name})*`;
const contextForm =
  /^SET SESSION sql_mode = '[\w,]*', SESSION time_zone = '[\w+:/ -]*', SESSION collation_connection = (?:DEFAULT|'\w+')$/;
const databaseForm = /^ALTER DATABASE CHARACTER SET \w+ COLLATE \w+$/;
const valueForm = new RegExp(`^DO SETVAL\\((${name}), -?\\d+, 0, \\d+\\)$`);
const sequenceForm = new RegExp(`^CREATE SEQUENCE (${name}) (?=start with |as )`);
const tableForm = new RegExp(`^CREATE TABLE (${name}) \\(\n`);
const itemForm = /^(?:`|(?:[A-Z]+ )?KEY\b|CONSTRAINT `|CHECK ?\(|PERIOD FOR )/;
const alterForm = new RegExp(`^ALTER TABLE (${name}) (?=ADD )`);
const indexForm = new RegExp(`^ADD (?:[A-Z]+ )?KEY ${name} `);
const foreignForm = new RegExp(
  `^ADD CONSTRAINT ${name} FOREIGN KEY \\(${names}\\) REFERENCES ${name}(?:\\.${name})? \\(${names}\\)(?: ON (?:DELETE|UPDATE) (?:RESTRICT|CASCADE|NO ACTION|SET NULL|SET DEFAULT)){0,2}$`,
);
const placeholderForm = new RegExp(`^CREATE VIEW (${name}) AS SELECT (?:1|1 AS ${name}(?:, 1 AS ${name})*)$`);
const rowsForm = new RegExp(`^INSERT INTO (${name}) \\((?:${names})?\\) VALUES \\(`);
/** Of a statement of rows, before its values: the most columns that a table can have. */
const mostHead = 2 << 20;

/** In a text's own sql_mode. */
const quoted = '(?:`(?:[^`]|``)*`|"(?:[^"]|"")*")';
/** As it is typed between words. */
const gap = "(?:\\s|/\\*(?!M?!)(?:[^*]|\\*(?!/))*\\*/|(?:--[\\0- ]|#)[^\\n]*\\n)";
const codeForm = new RegExp(
  `^CREATE (OR REPLACE )?(?:ALGORITHM=\\w+ )?DEFINER=${quoted}(?:@${quoted})? (?:SQL SECURITY (?:DEFINER|INVOKER) )?` +
    `(?:(?:VIEW|(?:AGGREGATE )?(?:FUNCTION|PROCEDURE)|PACKAGE BODY|PACKAGE|EVENT) (${name})${gap}*(?=[\\w(])|` +
    // MariaDB keeps a trigger as it was typed.
    `TRIGGER ${gap}*(?:IF${gap}+NOT${gap}+EXISTS${gap}+)?(?:${quoted}${gap}*|[^\\s.\`"'/#()*-]+${gap}+)(?:BEFORE|AFTER)\\b)`,
  "i",
);

export function createAllowed(): Allowed {
  const made = new Set<string>();
  const placeholders = new Set<string>();
  /** The sql_mode is such that quotes are read here as in the server. */
  let isOwnMode = true;
  const makes = (form: RegExp, statement: string, into = made): boolean => {
    const of = form.exec(statement)?.[1];
    if (of !== undefined) into.add(of);
    return of !== undefined;
  };
  const isCode = (statement: string): boolean => {
    const found = codeForm.exec(statement);
    if (found === null) return false;
    const [, replaces, view = ""] = found;
    return replaces === undefined || placeholders.has(view);
  };
  const alters = (statement: string): boolean => {
    const [head = "", of = ""] = alterForm.exec(statement) ?? [];
    if (!made.has(of)) return false;
    const added = statement.slice(head.length);
    return foreignForm.test(added) || (isClear(added) && partsOf(added).every((part) => indexForm.test(part)));
  };
  return {
    defines(statement) {
      if (settings.includes(statement)) isOwnMode = true;
      else if (contextForm.test(statement)) isOwnMode = false;
      else if (!databaseForm.test(statement)) {
        if (makes(placeholderForm, statement, placeholders) || isCode(statement)) return true;
        if (!isOwnMode) return false;
        if (alters(statement)) return true;
        const value = valueForm.exec(statement)?.[1];
        if (value !== undefined) return made.has(value);
        if (!isClear(statement)) return false;
        if (sequenceForm.test(statement)) return isPlain(statement) && makes(sequenceForm, statement);
        return isTable(statement) && makes(tableForm, statement);
      }
      return true;
    },
    sets: (statement) => rowSettings.has(statement),
    inserts(statement) {
      const of = rowsForm.exec(statement.toString("latin1", 0, mostHead))?.[1];
      return of !== undefined && made.has(Buffer.from(of, "latin1").toString());
    },
  };
}

/**
 * Whether quotes and comments are read here as in the server. It ends a comment at the first end, also within quotes, where it is too old to
 * run the comment.
 */
function isClear(statement: string): boolean {
  let isComment = false;
  for (const { quoted: isQuoted, text } of piecesOf(statement)) {
    if (isQuoted) {
      if (isComment && /\*\/|\/\*/.test(text)) return false;
      continue;
    }
    if (/#|--(?:[\0- \x7f]|$)|\/\*(?!M?!\d)/.test(text)) return false;
    for (const [mark] of text.matchAll(/\/\*|\*\//g)) {
      if (isComment === (mark === "/*")) return false;
      isComment = !isComment;
    }
  }
  return !isComment;
}

/** A list of columns, keys and checks, and options: no query and no other table. */
function isTable(statement: string): boolean {
  const head = tableForm.exec(statement)?.[0];
  if (head === undefined) return false;
  try {
    const { parts, end } = splitList(statement, head.length);
    return parts.every((part) => itemForm.test(part.trim())) && isPlain(statement.slice(end));
  } catch {
    return false;
  }
}

/** Names no database, and asks nothing. */
function isPlain(text: string): boolean {
  const unquoted = piecesOf(text)
    .map(({ quoted: isQuoted, text: piece }) => (isQuoted ? "``" : piece))
    .join("");
  const withoutNumbers = unquoted.replace(/(?<![\w$`.])\d+\.\d+(?![\w$`.])/g, "0");
  return !/\.|\b(?:SELECT|TABLE|LIKE|UNION|VALUES\s+ROW)\b/i.test(withoutNumbers);
}

/** Parts between commas outside of brackets and quotes. */
function partsOf(added: string): string[] {
  try {
    const { parts, end } = splitList(`${added})`, 0);
    return end === added.length + 1 ? parts.map((part) => part.trim()) : [""];
  } catch {
    return [""];
  }
}
