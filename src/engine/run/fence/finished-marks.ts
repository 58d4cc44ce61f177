import { createHash } from "node:crypto";
import type { Fence } from "./fence.ts";

/** The mark that a fence keeps of a table that an attempt has finished: its plan's digest, and what a later one has to know. */
export interface FinishedMark {
  table: string;
  digest: string;
  /** The table in the target. Marks of earlier versions lack it. */
  name?: string;
}

/** Of all that decides what stands in the target and how its rows were made: what JSON can say. */
export const digestOf = (deciding: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(deciding)).digest("hex");

const prefix = "finished:";

export const markOf = <Finished extends FinishedMark>(finished: Finished): string =>
  `${prefix}${finished.digest}:${JSON.stringify(finished)}`;

/** Undefined for marks of other things. */
export const finishedOf = <Finished extends FinishedMark = FinishedMark>(part: string): Finished | undefined =>
  part.startsWith(prefix) ? (JSON.parse(part.slice(part.indexOf("{"))) as Finished) : undefined;

/** The marks of the fence, the last of each table. */
export async function readFinished<Finished extends FinishedMark>(
  fence: Pick<Fence<never>, "parts">,
): Promise<Map<string, Finished>> {
  const found = new Map<string, Finished>();
  for (const { part } of await fence.parts()) {
    const finished = finishedOf<Finished>(part);
    if (finished !== undefined) found.set(finished.table, finished);
  }
  return found;
}
