import type { MadeObject } from "../../../contract/index.ts";
import { fullName, part } from "../../../contract/text/full-name.ts";
import { type Address, madeOf } from "../../../postgres/catalogue/address.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import type { DumpEntry } from "../../../postgres/dump/archive.ts";

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
  /** What is computed from the finished rows. */
  | "filling"
  /** Last of all: what watches every statement. */
  | "watching";

export interface Step {
  entry: DumpEntry;
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
/**
 * After the data: neither rows nor keys, nor rules that hide rows. A unique index is a key, and so is an index that a
 * constraint needs. A policy shows rows that row security hides, unless it is restrictive.
 */
const beside = new Set(["INDEX", "INDEX ATTACH", "MATERIALIZED VIEW DATA", "POLICY", "RULE", "STATISTICS", "TRIGGER"]);
const aName = '(?:"(?:[^"]|"")*"|[^\\s".(]+)';
const ending = new RegExp(`^CREATE (?:UNIQUE |POLICY ${aName} ON ${aName}\\.${aName} AS RESTRICTIVE )`);

/** Steps after the data that the target may refuse: by default they are reported, and the run goes on. */
export function withRefusal(step: Step): Step {
  const { kind, create } = step.entry;
  const isBeside = step.stage !== "before" && beside.has(kind) && !ending.test(create);
  return isBeside ? { ...step, tolerated: true } : step;
}

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

/** Steps in the entries' order; `addresses` are the source's, by `catalogue:oid`. A comment has no section of its own: it belongs to the one that it stands in. */
export function stepsOf(entries: readonly DumpEntry[], addresses: ReadonlyMap<string, Address>): Step[] {
  return entries.map(createSteps(addresses));
}

/** The same for one entry after the other. */
export function createSteps(addresses: ReadonlyMap<string, Address>): (entry: DumpEntry) => Step {
  let section: DumpEntry["section"] = "pre-data";
  return (entry) => {
    if (entry.section !== "none") section = entry.section;
    const kind = entry.kind.toLowerCase();
    return {
      entry,
      stage: stageOf(entry, section),
      kind: kind.endsWith("constraint") ? "constraint" : kind,
      name: nameOf(entry),
      made: attached.has(entry.kind) ? undefined : madeBy(entry, addresses),
      tolerated: tolerated.has(entry.kind),
    };
  };
}

/** As the inventory (inventory.ts) calls it, where it holds the kind. The list joins names as they are: those in quotes are in the DROP. */
function nameOf({ kind, tag, schema, drop }: DumpEntry): string {
  const ofUser = mapping.exec(drop);
  if (ofUser) return `${part(unquoted(ofUser[2]))} ${part(unquoted(ofUser[1]))}`;
  if (kind === "CAST") return tag.replace(/^CAST \((.*)\)$/s, "$1");
  if (schema === undefined) return tag;
  if (kind === "OPERATOR")
    return `${fullName(schema, tag)} ${(/^[^(]*(\(.*\))/s.exec(drop)?.[1] ?? "").replace(/\bNONE\b/, "-")}`;
  const method = /^OPERATOR (CLASS|FAMILY)$/.test(kind)
    ? / USING ("(?:[^"]|"")*"|\w+);\s*$/.exec(drop)?.[1]
    : undefined;
  if (method !== undefined) return `${fullName(schema, tag)} ${part(unquoted(method))}`;
  // Words and rights name the kind of what they stand on: `TABLE "t"`.
  if (/^(COMMENT|ACL|SECURITY LABEL)$/.test(kind))
    return tag.replace(/^([A-Z ]+) /, (_, what) => `${what} ${part(schema)}.`);
  const dropped = [partOfTable, onTable, routine].map((form) => form.exec(drop)?.groups).find((found) => found);
  const own = unquoted(dropped?.own);
  if (dropped?.on !== undefined)
    return `${fullName(schema, unquoted(dropped.on))}${kind === "DEFAULT" ? "." : " "}${part(own)}`;
  // With what it takes, which the list tells by types alone.
  if (dropped !== undefined && tag.startsWith(`${own}(`)) return `${fullName(schema, own)}${tag.slice(own.length)}`;
  return fullName(schema, tag);
}

function stageOf({ kind, tag, create }: DumpEntry, section: DumpEntry["section"]): Stage {
  if (never.has(kind) || create.trim() === "") return "never";
  if (/^(COMMENT|ACL|SECURITY LABEL)$/.test(kind) && tag.startsWith("DATABASE ")) return "never";
  // They speak of what is made last.
  if (/^(COMMENT|SECURITY LABEL)$/.test(kind) && tag.startsWith("EVENT TRIGGER ")) return "watching";
  // They stand among the data.
  if (/^(COMMENT|SECURITY LABEL)$/.test(kind) && tag.startsWith("LARGE OBJECT ")) return "after";
  if (rights.has(kind)) return "rights";
  if (kind === "MATERIALIZED VIEW DATA") return "filling";
  if (kind === "EVENT TRIGGER") return "watching";
  if (section === "pre-data") return "before";
  return section === "post-data" ? "after" : "never";
}

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

const mapping = /^DROP USER MAPPING (?:IF EXISTS )?FOR ("(?:[^"]|"")*"|\w+) SERVER ("(?:[^"]|"")*"|\w+);\s*$/;
const partOfTable = new RegExp(
  `^ALTER (?:(?:FOREIGN )?TABLE(?: IF EXISTS)?(?: ONLY)?|DOMAIN) ${aName}\\.(?<on>${aName}) (?:DROP CONSTRAINT(?: IF EXISTS)?|ALTER COLUMN) (?<own>${aName})(?: DROP DEFAULT)?;`,
);
const onTable = new RegExp(`^DROP (?:TRIGGER|RULE|POLICY) (?<own>${aName}) ON ${aName}\\.(?<on>${aName});`);
const routine = new RegExp(`^DROP (?:FUNCTION|PROCEDURE|AGGREGATE) ${aName}\\.(?<own>${aName})\\(`);
const unquoted = (name = "") => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);

/** Names by kind, or by the address that the source gives for the object. */
function madeBy(entry: DumpEntry, addresses: ReadonlyMap<string, Address>): MadeObject | undefined {
  const { kind, tag, schema, drop } = entry;
  const parts = plain.get(kind);
  if (parts === 1) return { kind: kind.toLowerCase(), name: [tag] };
  if (parts === 2 && schema !== undefined) return { kind: kind.toLowerCase(), name: [schema, tag] };
  const ofUser = mapping.exec(drop);
  if (ofUser) return { kind: "user mapping", name: [unquoted(ofUser[1]), unquoted(ofUser[2])] };
  const address = needsAddress(entry) ? addresses.get(`${entry.catalog}:${entry.oid}`) : undefined;
  return address === undefined ? undefined : madeOf(address);
}

/** A view that needed its rule later has no DROP of it: the rule goes with the view. */
export const needsAddress = ({ kind, catalog, oid, drop }: DumpEntry): boolean =>
  !plain.has(kind) && !attached.has(kind) && !never.has(kind) && catalog > 0 && oid > 0 && /^(DROP|ALTER) /.test(drop);

const none: number[] = [];

/** Without what only served to name it and to leave some out. */
export const withoutNaming = (step: Step): Step => ({
  ...step,
  entry: { ...step.entry, needs: none, drop: ownedByDrop.has(step.entry.kind) ? step.entry.drop : "" },
});

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
export function ownerStatement({ kind, tag, schema, drop, owner }: DumpEntry): string | undefined {
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
