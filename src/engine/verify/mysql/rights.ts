import { printable } from "../../contract/text/printable.ts";
import type { SourceCode } from "../../mysql/definitions/code-source.ts";
import type { Session } from "../../mysql/driver/session.ts";
import { readGrants } from "../../mysql/source/grants.ts";
import { readAccounts } from "../../plan/mysql-mysql/index.ts";
import type { ComparedObject } from "../same-engine.ts";

/**
 * Definers, rights and the order of triggers of two MySQL or MariaDB databases. Accounts are the server's, and a copy may
 * be told to take other definers (option `definers`): what follows from that is told and is no difference.
 */

/** One side's code and accounts, beside its objects. */
interface Coded {
  session: Session;
  database: string;
  seen: ComparedObject[];
  codes: readonly SourceCode[];
  /** The side's tables that are compared → their names in the source, as objects are named. */
  tables: ReadonlyMap<string, string>;
}

/** Gives the objects of both sides what they are to be compared by; answers with what cannot be as in the source. */
export async function addMysqlRights(ours: Coded, theirs: Coded, crossing: boolean): Promise<string[]> {
  const accounts = await readAccounts(theirs.session);
  const [[self] = []] = await theirs.session.query("SELECT CURRENT_USER()");
  const notes = new Set<string>();
  const known: Accounts = { accounts, self: self ?? "" };
  addDefiners(ours, theirs, known, notes);
  addOrders(ours.seen, theirs.seen);
  await addGrants(ours, theirs, { ...known, crossing }, notes);
  return [...notes].map(printable).sort();
}

const keyOf = ({ kind, name }: Pick<ComparedObject, "kind" | "name">) => `${kind}\0${name}`;
const byKey = (some: readonly ComparedObject[]) => new Map(some.map((one) => [keyOf(one), one]));
const accountOf = ({ definer: { user, host } }: SourceCode) => `${user}@${host}`;

/** In front of the body only, where a characteristic can stand. */
const invokes = ({ kind, shown, body }: SourceCode): boolean => {
  const end = kind === "view" ? shown.indexOf(" VIEW ") : shown.length - body.length;
  return /SQL SECURITY INVOKER/i.test(shown.slice(0, Math.max(0, end)));
};

const secured = new Set<SourceCode["kind"]>(["view", "function", "procedure", "package", "package body"]);

interface Accounts {
  /** Undefined where they may not be read. */
  accounts: ReadonlySet<string> | undefined;
  /** The account by which the target is read. */
  self: string;
}

function addDefiners(ours: Coded, theirs: Coded, { accounts, self }: Accounts, notes: Set<string>): void {
  const [mine, other] = [byKey(ours.seen), byKey(theirs.seen)];
  const there = new Map(theirs.codes.map((code) => [keyOf(code), code]));
  const pairs = ours.codes.flatMap((code) => {
    const [one, found] = [mine.get(keyOf(code)), there.get(keyOf(code))];
    const another = other.get(keyOf(code));
    return one === undefined || found === undefined || another === undefined ? [] : [{ code, found, one, another }];
  });
  const differs = ({ code, found }: (typeof pairs)[number]) => accountOf(code) !== accountOf(found);
  // With `definers: keep` at least one of another account would stand as it was.
  const all = pairs.every((pair) => differs(pair) || accountOf(pair.code) === self);
  const isSecured = pairs.filter(({ code }) => secured.has(code.kind));
  const invoking = isSecured.length > 0 && isSecured.every(({ found }) => invokes(found));
  for (const pair of pairs) {
    const { code, found, one, another } = pair;
    const said = (aspect: string, source: string, target: string) => {
      one.aspects.push({ aspect, value: source, settled: true, shown: true });
      another.aspects.push({ aspect, value: target, settled: true, shown: true });
    };
    const [wanted, given] = [accountOf(code), accountOf(found)];
    const missing = accounts?.has(wanted) === false;
    if (differs(pair) && (missing || (given === self && (all || accounts === undefined))))
      notes.add(
        `the definer ${wanted} is ${given} in the target${missing ? ", which has no such account" : ": its user may not set another one, or options.definers requests it"}`,
      );
    else said("definer", wanted, given);
    if (!secured.has(code.kind)) continue;
    if (invoking && !invokes(code))
      notes.add("views and routines have SQL SECURITY INVOKER in the target, as the option definers says, or by hand");
    else said("SQL SECURITY", invokes(code) ? "INVOKER" : "DEFINER", invokes(found) ? "INVOKER" : "DEFINER");
  }
}

/** Triggers of one table, time and event, in the order in which they fire; of those that both sides have. */
function addOrders(ours: readonly ComparedObject[], theirs: readonly ComparedObject[]): void {
  const orders = (some: readonly ComparedObject[], others: ReadonlyMap<string, ComparedObject>) => {
    const found = new Map<string, Map<string, string[]>>();
    for (const one of some) {
      if (one.kind !== "trigger" || one.of === undefined || !others.has(keyOf(one))) continue;
      const time = one.aspects.find(({ aspect }) => aspect === "time")?.value ?? "";
      const table = found.get(one.of) ?? new Map<string, string[]>();
      found.set(one.of, table.set(time, [...(table.get(time) ?? []), one.name]));
    }
    return found;
  };
  const sides = [ours, theirs] as const;
  const [first, second] = [orders(ours, byKey(theirs)), orders(theirs, byKey(ours))];
  for (const [side, found] of [
    [sides[0], first],
    [sides[1], second],
  ] as const)
    for (const one of side) {
      const times = one.kind === "table" ? [...(found.get(one.name) ?? [])] : [];
      const value = times
        .filter(([, names]) => names.length > 1)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([time, names]) => `${time.split(" ").slice(0, 2).join(" ")}: ${names.join(", ")}`)
        .join("; ");
      if (one.kind === "table") one.aspects.push({ aspect: "order of triggers", value, settled: true, shown: true });
    }
}

/** Rights that both kinds of servers know. */
const common = new Set(
  "SELECT,INSERT,UPDATE,DELETE,CREATE,DROP,REFERENCES,INDEX,ALTER,CREATE TEMPORARY TABLES,LOCK TABLES,EXECUTE,CREATE VIEW,SHOW VIEW,CREATE ROUTINE,ALTER ROUTINE,EVENT,TRIGGER".split(
    ",",
  ),
);

async function addGrants(
  ours: Coded,
  theirs: Coded,
  { accounts, self, crossing }: Accounts & { crossing: boolean },
  notes: Set<string>,
): Promise<void> {
  const [wanted, given] = [await seenGrants(ours), await seenGrants(theirs)];
  if (accounts === undefined) {
    if (wanted.length > 0) notes.add("grants are not compared: the target's user may not see which accounts there are");
    return;
  }
  const there = new Set(theirs.seen.map(keyOf));
  for (const { account, right, on, seen } of wanted) {
    if (on !== undefined && !there.has(on)) continue;
    if (!accounts.has(account)) notes.add(`grants of ${account} are not in the target, which has no such account`);
    else if (crossing && !common.has(right)) notes.add(`the right ${right} is one of the source's kind of server`);
    else ours.seen.push(seen);
  }
  // Grants that only the target has count on copied tables and views, where all of the source's are seen.
  const whole = (await readAccounts(ours.session)) !== undefined;
  const known = byKey(wanted.map(({ seen }) => seen));
  const alone = new Map<string, string[]>();
  const compared = new Set(ours.seen.map(keyOf));
  for (const { account, right, columns, what, isRelation, on, seen } of given)
    if (known.has(keyOf(seen))) theirs.seen.push(seen);
    else if (whole && isRelation && (on === undefined || compared.has(on)))
      theirs.seen.push({ ...seen, alone: on !== undefined });
    else if (account !== self) {
      const key = `on ${what} to ${account}`;
      alone.set(key, [...(alone.get(key) ?? []), right + columns]);
    }
  for (const [key, rights] of alone) notes.add(`the target alone grants ${rights.sort().join(", ")} ${key}`);
}

interface SeenGrant {
  account: string;
  right: string;
  /** In parentheses, where it is of columns only. */
  columns: string;
  what: string;
  /** On a table, view or sequence, or on a column of one. */
  isRelation: boolean;
  /** Of what is no table: its key. */
  on: string | undefined;
  seen: ComparedObject;
}

async function seenGrants({ session, database, tables, seen }: Coded): Promise<SeenGrant[]> {
  const found = await readGrants(session, database);
  const objects = byKey(seen);
  return found.flatMap(({ user, host, on, right, grantable }): SeenGrant[] => {
    const account = `${user}@${host}`;
    const isRelation = on.kind === "table";
    const table = isRelation ? tables.get(on.name) : undefined;
    const object =
      on.kind === "table"
        ? ["view", "sequence"].map((kind) => ({ kind, name: on.name })).find((one) => objects.has(keyOf(one)))
        : on.kind === "database"
          ? undefined
          : on;
    if (isRelation && table === undefined && object === undefined) return [];
    const what = table ?? (object === undefined ? "the database" : `${object.kind} ${object.name}`);
    const columns = on.kind === "table" && on.columns !== undefined ? ` (${on.columns.join(", ")})` : "";
    return [
      {
        account,
        right,
        columns,
        what,
        isRelation,
        on: table === undefined && object !== undefined ? keyOf(object) : undefined,
        seen: {
          kind: "grant",
          name: `${right}${columns} on ${what} to ${account}`,
          of: table,
          aspects: [{ aspect: "WITH GRANT OPTION", value: grantable ? "yes" : "no", settled: true, shown: true }],
        },
      },
    ];
  });
}
