import { type CopyOptions, type Endpoint, EngineError } from "../../contract/index.ts";
import type { OpenedDatabase } from "../open-database.ts";
import { countTables } from "./count.ts";
import { type Counted, type Memory, misfit, neededMemory } from "./need.ts";
import { ownContainer, ownHeap } from "./own.ts";

/** Whether a copy fits into the memory of the process that would do it, by a count of the source's tables and columns. */

export interface Lack {
  counted: Counted;
  reason: string;
  fix: string;
}

type Options = Pick<CopyOptions, "include" | "exclude">;

/** What the copy needs. `lack` is undefined where it fits. `heap`: bytes of that process; this one's if absent. */
export async function weigh(
  source: OpenedDatabase,
  target: Endpoint["engine"],
  options: Options,
  heap?: number,
): Promise<{ need: Memory; lack: Lack | undefined }> {
  const counted = await countTables(source, target, options);
  const need = neededMemory(`${source.engine}-${target}`, counted);
  const has = heap === undefined ? { heap: ownHeap(), container: ownContainer() } : { heap };
  const found = misfit(counted, need, has);
  return { need, lack: found === undefined ? undefined : { counted, ...found } };
}

/**
 * To be called before the first write: a process that runs out of memory ends without a word. Errors: EngineError `memory_too_small`.
 */
export async function requireMemory(
  source: OpenedDatabase,
  target: Endpoint["engine"],
  options: Options,
): Promise<void> {
  const { lack } = await weigh(source, target, options);
  if (lack !== undefined) throw new EngineError("memory_too_small", `${lack.reason}; nothing was written: ${lack.fix}`);
}
