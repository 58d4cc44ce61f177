import type { CopyOptions } from "../../../contract/index.ts";
import { readAddresses } from "../../../postgres/catalogue/address.ts";
import type { Thing } from "../../../postgres/catalogue/inventory.ts";
import { readSelectable, unselected } from "../../../postgres/catalogue/selectable.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { dumpSchema } from "../../../postgres/dump/dump.ts";
import type { leftInSource } from "../../../postgres/source/left-in-source.ts";
import { filter, map } from "../../../run/memory/lazy.ts";
import { createSteps, needsAddress } from "./entries.ts";
import { type SkippedEntries, skipEntries } from "./selected-entries.ts";

export type Skipped = Pick<SkippedEntries, "notes" | "reduced" | "lost">;

export const noneSkipped: Skipped = { notes: [], reduced: [], lost: [] };

/** What a copy between PostgreSQL's leaves out with the tables and views that the options do not want: by pg_dump's account, as the copy itself. */
export async function readSkipped(
  source: Session,
  things: readonly Thing[],
  own: Awaited<ReturnType<typeof leftInSource>>,
  options: Pick<CopyOptions, "include" | "exclude">,
  { signal, dumpBytes }: { signal: AbortSignal; dumpBytes?: number | undefined },
): Promise<Skipped> {
  if (options.include === undefined && options.exclude === undefined) return noneSkipped;
  const relations = (await readSelectable(source)).filter(({ oid }) => oid !== own?.oid);
  const without = unselected(relations, options);
  if (without.size === 0) return noneSkipped;
  await source.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    const [exported] = await source.query<{ snapshot: string }>("SELECT pg_catalog.pg_export_snapshot() AS snapshot");
    const entries = await dumpSchema(source, {
      snapshot: exported?.snapshot ?? "",
      applicationName: "rowferry assess",
      without: own === undefined ? [] : [own.table],
      env: process.env,
      signal,
      ...(dumpBytes === undefined ? {} : { memory: dumpBytes }),
    });
    const addresses = await readAddresses(source, [...filter(entries, needsAddress)]);
    return skipEntries(map(entries, createSteps(addresses)), things, without);
  } finally {
    await source.run("ROLLBACK");
  }
}
