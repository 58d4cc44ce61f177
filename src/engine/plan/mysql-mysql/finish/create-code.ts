import type { CopyOptions, EngineError } from "../../../contract/index.ts";
import type { Known, KnownEntry } from "../../../contract/known.ts";
import type { CodeSettings, SourceCode } from "../../../mysql/definitions/code-source.ts";
import {
  type CodeOptions,
  drawsNumbers,
  exactBody,
  namesDatabase,
  noSequences,
  statementOf,
} from "../../../mysql/definitions/code-sql.ts";
import {
  collationNotes,
  databaseNote,
  readTextCollations,
  resultCollation,
  type TargetDefault,
  type TextCollations,
} from "../../../mysql/definitions/routine-collations.ts";
import { identifier, literal } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber, makesAccounts, targetModeOf } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { makeCode, makeRenamed } from "../../../mysql/target/create.ts";
import { isRefusedObject, schemaRefused } from "../../../mysql/target/refusal.ts";
import { kindsOf } from "../../../report/not-copied.ts";
import { isRefusedStatement, serverMessage } from "../copy/create-tables.ts";

/**
 * Makes views, routines, triggers and events in the target, each under the settings that its text was written under.
 * Views are made as often as one more can be: they build on each other. What cannot be made is reported with its text.
 */
interface CodeWork {
  session: Session;
  fence: MysqlFence;
  database: string;
  targetDatabase: string;
  /** MySQL to MariaDB or back: the servers' languages differ in places. */
  crossing: boolean;
  /** The source's. */
  textCollations: TextCollations;
  /** Those that the target has. */
  collations: ReadonlySet<string>;
  /** The target database's. */
  default: TargetDefault;
  /** `on_object_error: fail` */
  strict: boolean;
  definers: NonNullable<CopyOptions["definers"]>;
  /** Accounts of the target as `user@host`; undefined where they may not be read. */
  accounts: ReadonlySet<string> | undefined;
  /** The target's user, as `user@host`. */
  self: string;
  /** One was made or refused. */
  did?(): void;
}

/** What the target lacks for it: it may be there after others are made, or never. */
export const missing = new Set([1146, 1356, 1054, 1305, 1109, 1347]);
/** No right to name another definer, or the account is not there. */
export const definerRefused = new Set([1227, 1449, 1698, 4006]);
/** Refused by its own text or by the server's settings: reported, not the end of the run. */
const codeRefused = new Set([
  1235, 1303, 1307, 1313, 1314, 1320, 1327, 1336, 1358, 1359, 1362, 1363, 1407, 1415, 1418, 1419, 1422, 1442, 1458,
  1542, 1543, 1544, 1545, 1546, 1231, 1349, 1350, 1351, 1352, 1353, 1354, 1394, 1348, 3174, 4042,
]);

export async function makeAllCode(work: CodeWork, codes: readonly SourceCode[]): Promise<KnownEntry[]> {
  const entries = await makeEach(work, codes);
  const made = await readTextCollations(work.session, work.targetDatabase);
  const byName = new Map(codes.map((code) => [`${code.kind} ${code.name}`, code]));
  return entries.map((entry): KnownEntry => {
    const code = byName.get(`${entry.kind} ${entry.name}`);
    if (code === undefined || entry.outcome === "reported") return entry;
    const database = databaseNote(code, work.default);
    const notes = [...collationNotes(code, work.textCollations, made), ...(database === undefined ? [] : [database])];
    if (notes.length === 0) return entry;
    const note = [...(entry.note === undefined ? [] : [entry.note]), ...notes].join("; ");
    return { ...entry, outcome: "converted", note, definition: definition(code) };
  });
}

async function makeEach(work: CodeWork, codes: readonly SourceCode[]): Promise<KnownEntry[]> {
  const entries: KnownEntry[] = [];
  let left = [...codes];
  for (;;) {
    const again: { code: SourceCode; why: string; error: unknown }[] = [];
    for (const code of left) {
      const result = await makeOne(work, code);
      if ("again" in result) again.push({ code, why: result.again, error: result.error });
      else {
        entries.push(result);
        work.did?.();
      }
    }
    if (again.length === 0) return entries;
    if (again.length === left.length) {
      entries.push(...again.map(({ code, why, error }) => refused(work, code, why, error)));
      return entries;
    }
    left = again.map(({ code }) => code);
  }
}

const definition = ({ shown, body }: SourceCode): string =>
  Buffer.from(shown === "" ? body : shown)
    .subarray(0, 64 * 1024)
    .toString();

export const reported = (code: SourceCode, note: string): KnownEntry => ({
  kind: code.kind,
  name: code.name,
  outcome: "reported",
  note,
  definition: definition(code),
});

export const namesPrefixed = "its text names tables that got a prefix by the option schemas";

export const unreadText =
  "its text may not be read, or it is broken in the source: the source's user lacks the right to SHOW CREATE";

async function makeOne(work: CodeWork, code: SourceCode): Promise<KnownEntry | Again> {
  if (code.kind === "view" && !work.session.server.maria && drawsNumbers(code.shown || code.body))
    return reported(code, noSequences);
  if (code.shown === "" || statementOf(code, wantedOf(work, "", "")) === undefined)
    return reported(code, code.doubt ?? unreadText);
  const notes: string[] = code.doubt === undefined ? [] : [code.doubt];
  const own = definerOf(work, code);
  let lostDefiner = own.isLost ? own.note : undefined;
  if (own.note !== undefined) notes.push(own.note);
  try {
    await make(work, code, own.sql);
  } catch (error) {
    const number = errorNumber(error) ?? 0;
    if (definerRefused.has(number) && own.sql !== "CURRENT_USER") {
      lostDefiner = definerNotAllowed(work, `${code.definer.user}@${code.definer.host}`);
      notes.push(lostDefiner);
      try {
        await make(work, code, "CURRENT_USER");
      } catch (second) {
        return refusal(work, code, second);
      }
    } else return refusal(work, code, error);
  }
  if (work.crossing) notes.push("its text is that of the source; the target's server has parsed it");
  if (work.database !== work.targetDatabase && code.kind !== "view" && namesDatabase(exactBody(code), work.database))
    notes.push(`its code names the database ${work.database}, which is the source's name for it`);
  const base = { kind: code.kind, name: code.name };
  if (notes.length === 0) return { ...base, outcome: "copied" };
  const known: Known = lostDefiner === undefined ? {} : { lostDefiner };
  return { ...base, outcome: "converted", note: notes.join("; "), definition: definition(code), ...known };
}

interface Again {
  /** The server's words. */
  again: string;
  error: unknown;
}

function refusal(work: CodeWork, code: SourceCode, error: unknown): KnownEntry | Again {
  const number = errorNumber(error) ?? 0;
  if (missing.has(number)) return { again: serverMessage(error), error };
  if (isRefusedStatement(error) || codeRefused.has(number) || definerRefused.has(number) || isRefusedObject(error))
    return refused(work, code, error instanceof Error ? error.message : serverMessage(error), error);
  throw error;
}

/** Errors: `schema_refused` with `on_object_error: fail`. */
function refused({ strict }: CodeWork, code: SourceCode, why: string, error: unknown): KnownEntry {
  if (strict) throw schemaRefused(`${code.kind} ${code.name}`, error as EngineError);
  return reported(code, `the target's server did not take it: ${why}`);
}

/** SQL of the account that an object of this definer gets; why it is another, and whether nobody asked for that. */
export function definerOf(
  { definers, accounts, self }: Pick<CodeWork, "definers" | "accounts" | "self">,
  { definer }: Pick<SourceCode, "definer">,
): { sql: string; note?: string; isLost?: boolean } {
  const name = `${definer.user}@${definer.host}`;
  const own = "CURRENT_USER";
  if (name === self) return { sql: own };
  if (definers !== "keep") return { sql: own, note: definerRequested({ self }, name) };
  if (accounts === undefined || accounts.has(name)) {
    const host = definer.host === "" ? "" : `@${identifier(definer.host)}`;
    return { sql: identifier(definer.user) + host };
  }
  return { sql: own, note: definerMissing({ self }, name), isLost: true };
}

const wantedOf = ({ definers, database, targetDatabase }: CodeWork, name: string, definer: string): CodeOptions => ({
  name,
  definer,
  invoker: definers === "invoker",
  database,
  targetDatabase,
});

async function make(work: CodeWork, code: SourceCode, definer: string): Promise<void> {
  const { session, fence, targetDatabase } = work;
  const wanted = (name: string) => ({
    ...wantedOf(work, name, definer),
    resultCollation: resultCollation(code, work.textCollations, work.collations),
  });
  const around = (work: () => Promise<unknown>) => inContext(session, code.context, work);
  if (code.kind === "view") {
    const create = (name: string) => statementOf(code, wanted(name)) ?? "";
    await makeRenamed(session, fence, "view", [targetDatabase, code.name], create, around);
    return;
  }
  const statement = statementOf(code, wanted(identifier(code.name))) ?? "";
  // The server takes what ends a statement away.
  const body = code.body.replace(/(?<![;\s])[;\s]+$/, "");
  await makeCode(session, fence, { kind: code.kind, name: [targetDatabase, code.name] }, statement, body, around);
}

/** Modes that MySQL 8 refuses. */
export const goneModes = new Set(["NO_AUTO_CREATE_USER", "NO_FIELD_OPTIONS", "NO_KEY_OPTIONS", "NO_TABLE_OPTIONS"]);

/** Runs work with the settings of a text; they are those of the session again afterwards, whatever happens. */
async function inContext(
  session: Session,
  { sqlMode, client, connection, timeZone }: CodeSettings,
  work: () => Promise<unknown>,
) {
  const set = async (name: string, value: string) => {
    if (value === "") return;
    try {
      await session.run(`SET SESSION ${name} = ${literal(value)}`);
    } catch (error) {
      // A mode, collation or zone that this server does not know.
      if (![1231, 1298, 1115, 1273].includes(errorNumber(error) ?? 0)) throw error;
    }
  };
  // MySQL 8 refuses what it has no more; elsewhere code keeps its mode, whole.
  const modes = sqlMode.split(",").filter((mode) => makesAccounts(session.server) || !goneModes.has(mode));
  await set("time_zone", timeZone);
  // Our bytes are UTF-8: the client's own set would only tell them wrong.
  if (client !== "" && connection !== "") await set("collation_connection", connection);
  await session.run(`SET SESSION sql_mode = ${literal(modes.join(","))}`).catch((error: unknown) => {
    if (errorNumber(error) !== 1231) throw error;
  });
  try {
    await work();
  } finally {
    await session
      .run(
        `SET SESSION sql_mode = '${targetModeOf(session.server)}', SESSION time_zone = '+00:00', SESSION character_set_client = utf8mb4, SESSION character_set_connection = utf8mb4`,
      )
      .catch(() => undefined);
  }
}

interface Self {
  self: string;
}

const became = (self: string, definer: string, why: string) => `its definer is ${self} instead of ${definer}, ${why}`;
export const definerNotAllowed = ({ self }: Self, definer: string): string =>
  became(self, definer, "because the target's user may not set another definer");
export const definerMissing = ({ self }: Self, definer: string): string =>
  became(self, definer, "because the target has no such account");

/** One sentence for each definer that was lost, with the number of objects. */
export function definerWarnings(inventory: readonly Pick<KnownEntry, "kind" | "lostDefiner">[]): string[] {
  const lost = inventory.flatMap(({ kind, lostDefiner }) => (lostDefiner === undefined ? [] : [{ kind, lostDefiner }]));
  return [...Map.groupBy(lost, ({ lostDefiner }) => lostDefiner.slice("its ".length))].map(
    ([words, some]) => `${kindsOf(some)}: the ${words}`,
  );
}

export const definerRequested = ({ self }: Self, definer: string): string =>
  became(self, definer, "as options.definers requests");
