import type { MadeObject } from "../contract.ts";
import type { Entry } from "./archive.ts";
import { identifier, qualified } from "./names.ts";

/** What each entry of pg_dump's table of contents is to the run: when it is made, what it makes, what it is called. Pure. */

export type Stage =
  /** Not run: settings, and what belongs to the database as a whole. */
  | "never"
  /** Before the data, in order. */
  | "before"
  /** After the data, in order; indexes and keys of plain tables are taken out of it and made in parallel. */
  | "after"
  /** Rights, once everything is there. */
  | "rights"
  /** Last: what fills or watches the finished database. */
  | "last";

export interface Step {
  entry: Entry;
  stage: Stage;
  /** Kind and name for a person, as in the inventory. */
  kind: string;
  name: string;
  /** What is recorded in the fence; undefined for what goes with another object. */
  made: MadeObject | undefined;
  /** A failure is reported by name and the run goes on. */
  tolerated: boolean;
}

const never = new Set(["ENCODING", "STDSTRINGS", "SEARCHPATH", "DATABASE", "DATABASE PROPERTIES", "STATISTICS DATA"]);
const rights = new Set(["ACL", "DEFAULT ACL"]);
const last = new Set(["MATERIALIZED VIEW DATA", "EVENT TRIGGER"]);
/** They carry words and rights, or need rights beyond the owner's: the data are whole without them. */
const tolerated = new Set([
  "ACL",
  "DEFAULT ACL",
  "COMMENT",
  "SECURITY LABEL",
  "EVENT TRIGGER",
  "PUBLICATION",
  "PUBLICATION TABLE",
  "PUBLICATION TABLES IN SCHEMA",
  "USER MAPPING",
]);
/** They go when the object goes that they stand on. */
const attached = new Set([
  "COMMENT",
  "SECURITY LABEL",
  "ACL",
  "DEFAULT ACL",
  "ROW SECURITY",
  "SEQUENCE OWNED BY",
  "TABLE ATTACH",
  "INDEX ATTACH",
  "MATERIALIZED VIEW DATA",
  "PUBLICATION TABLE",
  "PUBLICATION TABLES IN SCHEMA",
]);

/** Steps in the entries' order. A comment has no section of its own: it belongs to the one that it stands in. */
export function stepsOf(entries: readonly Entry[]): Step[] {
  let section: Entry["section"] = "pre-data";
  return entries.map((entry) => {
    if (entry.section !== "none") section = entry.section;
    const kind = entry.kind.toLowerCase();
    return {
      entry,
      stage: stageOf(entry, section),
      kind: kind.endsWith("constraint") ? "constraint" : kind,
      name: nameOf(entry),
      made: attached.has(entry.kind) ? undefined : madeBy(entry),
      tolerated: tolerated.has(entry.kind),
    };
  });
}

function nameOf({ kind, tag, schema }: Entry): string {
  if (schema === undefined) return tag;
  // Words and rights name the kind of what they stand on: `TABLE "t"`.
  if (/^(COMMENT|ACL|SECURITY LABEL)$/.test(kind)) return tag.replace(/^([A-Z ]+) /, (_, what) => `${what} ${schema}.`);
  return `${schema}.${tag}`;
}

function stageOf({ kind, tag, create }: Entry, section: Entry["section"]): Stage {
  if (never.has(kind) || create.trim() === "") return "never";
  if (/^(COMMENT|ACL|SECURITY LABEL)$/.test(kind) && tag.startsWith("DATABASE ")) return "never";
  if (rights.has(kind)) return "rights";
  if (last.has(kind)) return "last";
  if (section === "pre-data") return "before";
  return section === "post-data" ? "after" : "never";
}

const quoted = '"((?:[^"]|"")*)"';
const routine = new RegExp(`^DROP (FUNCTION|PROCEDURE|AGGREGATE) ${quoted}\\.${quoted}(\\(.*\\));\\s*$`, "s");
const constraint = new RegExp(
  `^ALTER (?:FOREIGN )?TABLE (?:ONLY )?${quoted}\\.${quoted} DROP CONSTRAINT ${quoted};\\s*$`,
);
const default_ = new RegExp(
  `^ALTER (?:FOREIGN )?TABLE (?:ONLY )?${quoted}\\.${quoted} ALTER COLUMN ${quoted} DROP DEFAULT;\\s*$`,
);
const onTable = new RegExp(`^DROP (TRIGGER|RULE|POLICY) ${quoted} ON ${quoted}\\.${quoted};\\s*$`);
const plain = new Map([
  ["SCHEMA", 1],
  ["EXTENSION", 1],
  ["PUBLICATION", 1],
  ["EVENT TRIGGER", 1],
  ["TABLE", 2],
  ["VIEW", 2],
  ["MATERIALIZED VIEW", 2],
  ["FOREIGN TABLE", 2],
  ["SEQUENCE", 2],
  ["TYPE", 2],
  ["DOMAIN", 2],
  ["INDEX", 2],
  ["COLLATION", 2],
  ["STATISTICS", 2],
]);

/** Names as pg_dump's own DROP says them: it was asked to quote them all. */
function madeBy({ kind, tag, schema, drop }: Entry): MadeObject | undefined {
  const parts = plain.get(kind);
  if (parts === 1) return { kind: kind.toLowerCase(), name: [tag] };
  if (parts === 2 && schema !== undefined) return { kind: kind.toLowerCase(), name: [schema, tag] };
  const unquote = (...names: (string | undefined)[]) => names.map((name) => (name ?? "").replaceAll('""', '"'));
  const function_ = routine.exec(drop);
  if (function_) {
    return {
      kind: (function_[1] ?? "").toLowerCase(),
      name: [...unquote(function_[2], function_[3]), function_[4] ?? "()"],
    };
  }
  const inTable = constraint.exec(drop);
  if (inTable) return { kind: "constraint", name: unquote(inTable[1], inTable[2], inTable[3]) };
  const onColumn = default_.exec(drop);
  if (onColumn) return { kind: "default", name: unquote(onColumn[1], onColumn[2], onColumn[3]) };
  const ofTable = onTable.exec(drop);
  if (ofTable) return { kind: (ofTable[1] ?? "").toLowerCase(), name: unquote(ofTable[3], ofTable[4], ofTable[2]) };
  // A view that needed its rule later: the rule goes with the view.
  if (!drop.startsWith("DROP ")) return undefined;
  return { kind: "sql", name: [drop.slice("DROP ".length).replace(/;\s*$/, "")] };
}

/** Kinds whose ALTER … OWNER TO takes the name alone; routines and operators take what DROP takes. */
const ownedByName = new Set([
  "COLLATION",
  "CONVERSION",
  "DOMAIN",
  "FOREIGN TABLE",
  "MATERIALIZED VIEW",
  "SEQUENCE",
  "STATISTICS",
  "TABLE",
  "TEXT SEARCH DICTIONARY",
  "TEXT SEARCH CONFIGURATION",
  "TYPE",
  "VIEW",
  "SCHEMA",
  "FOREIGN DATA WRAPPER",
  "EVENT TRIGGER",
  "PUBLICATION",
  "SERVER",
]);
const ownedByDrop = new Set(["AGGREGATE", "FUNCTION", "PROCEDURE", "OPERATOR", "OPERATOR CLASS", "OPERATOR FAMILY"]);

/** The statement that gives the object to its owner; undefined for what has none of its own. */
export function ownerStatement({ kind, tag, schema, drop, owner }: Entry): string | undefined {
  if (owner === "") return undefined;
  if (ownedByName.has(kind)) {
    return `ALTER ${kind} ${schema === undefined ? identifier(tag) : qualified(schema, tag)} OWNER TO ${identifier(owner)}`;
  }
  if (ownedByDrop.has(kind) && drop.startsWith("DROP ")) {
    return `ALTER ${drop.slice("DROP ".length).replace(/;\s*$/, "")} OWNER TO ${identifier(owner)}`;
  }
  return undefined;
}

/** Where the first statement of `sql` ends: the index of its semicolon, quoted names and strings being skipped. */
export function firstStatementEnd(sql: string): number {
  let at = 0;
  while (at < sql.length) {
    const character = sql[at];
    if (character === ";") return at;
    if (character === '"' || character === "'") {
      const escapes = character === "'" && /[eE]/.test(sql[at - 1] ?? "");
      for (at++; at < sql.length && sql[at] !== character; at++) if (escapes && sql[at] === "\\") at++;
    }
    at++;
  }
  return sql.length;
}
