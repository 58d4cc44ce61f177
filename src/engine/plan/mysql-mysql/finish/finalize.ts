import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import type { SourceCode } from "../../../mysql/definitions/code-source.ts";
import { databaseNote } from "../../../mysql/definitions/routine-collations.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { finishTables } from "../../../mysql/target/create.ts";
import { workOff } from "../../../run/pool.ts";
import type { DoneTable } from "../copy/copy-tables.ts";
import type { CopyRun } from "../copy/run.ts";
import type { SourceTexts } from "../copy/source.ts";
import type { TargetDatabase } from "../copy/target.ts";
import { makeAllCode, namesPrefixed, reported } from "./create-code.ts";
import { findOrphans, foreignKeysOf, type Keys, noKeys } from "./foreign-keys.ts";
import { copyGrants } from "./grants.ts";

/** What is made when the rows of every table are there: foreign keys, comments, code, grants. */
interface Rest {
  run: CopyRun;
  source: SourceTexts;
  target: TargetDatabase;
  done: ReadonlyMap<string, DoneTable>;
  crossing: boolean;
  put(entries: readonly InventoryEntry[]): void;
  warn(words: string): void;
}

/** What a look for rows without a parent costs beside other objects. Bytes of the table. */
const orphanUnits = ({ foreignKeys, dataBytes }: SourceTable): number =>
  foreignKeys.length === 0 ? 0 : 1 + dataBytes / 2 ** 20;

/** What is counted while the rest is made, for the progress: a table's last change and an object of code are one each. */
export function unitsOfRest({
  run: {
    catalogue: { tables },
  },
  source,
  content,
}: Pick<Rest, "run" | "source"> & { content: NonNullable<CopyOptions["content"]> }): number {
  const orphans = content === "schema" ? 0 : tables.reduce((sum, table) => sum + orphanUnits(table), 0);
  return orphans + tables.length + source.codes.length;
}

export async function makeRest({ run, source, target, done, crossing, put, warn }: Rest): Promise<void> {
  const { request, fence, prefix, catalogue, progress } = run;
  const { database } = request.source;
  const writer = run.writers[0] as Session;
  const copied = new Set(catalogue.tables.map(({ name }) => name));
  const strict = request.options.on_object_error === "fail";
  const keys: Keys = { database, targetDatabase: target.database, prefix, copied, strict };
  // A plan is made anew each time it is asked for.
  const tables = catalogue.tables.flatMap((table) => {
    const one = done.get(table.name);
    return one === undefined ? [] : [{ table, one }];
  });
  const foreign = tables.map(({ table: { name, comment, foreignKeys }, one }) => {
    const work = foreignKeys.length === 0 ? noKeys : foreignKeysOf(writer, fence, one, keys);
    return { name: prefix + name, comment, shape: one.shape, keys: work };
  });
  for (const one of foreign) await one.keys.begin();
  if (request.options.content !== "schema")
    await workOff(
      run.writers,
      tables
        .filter(({ table: { foreignKeys } }) => foreignKeys.length > 0)
        .map(({ table, one }) => ({
          weight: table.dataBytes,
          async run(session: Session) {
            (await findOrphans(session, one.plan, keys)).forEach(warn);
            progress.did(orphanUnits(table));
          },
        })),
      run.fail,
    );
  await finishTables(
    [writer, ...run.writers.slice(1)],
    fence,
    foreign.map(({ name, comment, shape, keys: { last } }) => ({
      name: [target.database, name],
      comment,
      shape,
      did: () => progress.did(),
      ...last,
    })),
  );
  for (const { keys } of foreign) put(keys.entries);
  const code = await makeCodeOf(run, writer, target, source, crossing);
  put(code);
  const shifted = otherDefaults(source.codes, code, target);
  if (shifted !== undefined) warn(shifted);
  // A view is a table to a grant.
  const made = new Set(
    code.flatMap(({ kind, name, outcome }) =>
      outcome === "reported" ? [] : [`${kind === "view" ? "table" : kind} ${name}`],
    ),
  );
  const sequences = new Set(target.server.maria ? source.sequences.map(({ name }) => name) : []);
  const has = (kind: string, name: string) =>
    (kind === "table" && (copied.has(name) || sequences.has(name))) || made.has(`${kind} ${name}`);
  const granting = { database: target.database, prefix, has, sequences, accounts: target.accounts, crossing };
  put(await copyGrants(writer, fence, source.grants, granting));
  if (source.collation !== target.collation)
    warn(
      `the source database's default collation is ${source.collation}, the target's ${target.collation}: tables made later will differ; ALTER DATABASE there to have it alike`,
    );
}

/** One sentence for all code that takes another default of its database in the target. */
function otherDefaults(
  codes: readonly SourceCode[],
  made: readonly InventoryEntry[],
  target: TargetDatabase,
): string | undefined {
  const there = new Set(made.flatMap(({ kind, name, outcome }) => (outcome === "reported" ? [] : [`${kind} ${name}`])));
  const found = codes.flatMap((code) => {
    const name = `${code.kind} ${code.name}`;
    return there.has(name) && databaseNote(code, target) !== undefined ? [name] : [];
  });
  if (found.length === 0) return undefined;
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : "";
  return `text variables or parameters take the target database's default collation ${target.collation}, not that of the source, in ${found.slice(0, mostNamed).join(", ")}${more}: they may compare, store or refuse other texts; the report has the collation to make the target database with`;
}

const mostNamed = 20;

async function makeCodeOf(
  run: CopyRun,
  session: Session,
  target: TargetDatabase,
  { codes, textCollations }: SourceTexts,
  crossing: boolean,
): Promise<InventoryEntry[]> {
  if (run.prefix !== "") return codes.map((code) => reported(code, namesPrefixed));
  const work = {
    session,
    fence: run.fence,
    database: run.request.source.database,
    targetDatabase: target.database,
    crossing,
    textCollations,
    collations: target.collations,
    default: target,
    strict: run.request.options.on_object_error === "fail",
    definers: run.request.options.definers ?? ("keep" as const),
    accounts: target.accounts,
    self: target.self,
    did: () => run.progress.did(),
  };
  const enabled = codes.filter(({ kind, shown }) => kind === "event" && / ENABLE\b/.test(shown));
  if (enabled.length > 0)
    run.hooks.log(
      "warning",
      `${enabled.length} events are enabled in the target, as they are in the source: they run there where event_scheduler is on`,
    );
  return makeAllCode(work, codes);
}
