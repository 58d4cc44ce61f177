import { EngineError } from "../../contract/index.ts";
import type { Fence } from "./fence.ts";

/**
 * Leaves a target as it was that is refused before anything was made in it: the fence is dropped, and the error goes on. One that can be
 * retried refuses nothing; without its fence the run would look like one that another worker has taken over.
 */
export const giveBack =
  (fence: Pick<Fence<unknown>, "made" | "parts" | "drop">) =>
  async (error: unknown): Promise<never> => {
    const refuses = error instanceof EngineError && !error.retryable;
    if (refuses && (await fence.made()).length + (await fence.parts()).length === 0) await fence.drop();
    throw error;
  };
