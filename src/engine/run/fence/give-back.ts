import { EngineError } from "../../contract/index.ts";
import type { Fence } from "./fence.ts";

/**
 * Leaves a target as it was that is refused before anything was made in it: the fence is dropped. An error that can be
 * retried refuses nothing; without its fence the run would look like one that another worker has taken over.
 */
export async function giveBack(fence: Pick<Fence<unknown>, "made" | "parts" | "drop">, error: unknown): Promise<void> {
  if (!(error instanceof EngineError) || error.retryable) return;
  if ((await fence.made()).length + (await fence.parts()).length === 0) await fence.drop();
}
