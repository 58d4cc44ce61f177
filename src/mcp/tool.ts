import type * as z from "zod";
import type { ProbeCaller } from "../requests/prober.ts";
import type { Tier } from "../requests/tiers.ts";
import type { Caller, World } from "../requests/world.ts";

/** One tool of an MCP server: its listing, its limits and the check of its input are made from this description. It calls functions of requests/. */
export interface Tool {
  name: string;
  title: string;
  /** For a model: what it does, when to use it and what comes next. */
  description: string;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    /** It reaches out of the service, to a database that the caller names. */
    openWorldHint: boolean;
  };
  /** What a call of it counts in. */
  tiers: readonly Tier[];
  input: z.ZodObject;
  /** Where the listing says less than the check, so that a model pays for it once. */
  listedInput?: z.ZodObject;
  output: z.ZodObject;
  /** Likewise. What it leaves out may be there all the same. */
  listedOutput?: z.ZodObject;
  /** Throws Problem, which the model is shown as an error of the tool. `input` was checked. */
  run(world: World, call: ToolCall, input: Record<string, unknown>): Promise<ToolText>;
}

export interface ToolCall {
  caller: Caller;
  asked: ProbeCaller;
  /** Takes one more from another tier. Throws Problem `rate_limited`. */
  spend(tier: Tier): Promise<void>;
}

export interface ToolText {
  /** Words of ours alone, short; what strangers wrote stands in `data.untrusted`, and is shown after them. */
  text: string;
  /** As `output` has it. */
  data: Record<string, unknown> & { untrusted?: string | null };
  /** It was not done, although nothing failed. */
  refused?: true;
}

/** A tool of which `run` gets its input with the types that its own schema gives: the call has checked it by that. */
export const tool = <I extends z.ZodObject>({
  run,
  ...described
}: Omit<Tool, "run" | "input"> & {
  input: I;
  run(world: World, call: ToolCall, input: z.output<I>): Promise<ToolText>;
}): Tool => ({ ...described, run: (world, call, input) => run(world, call, input as z.output<I>) });

/** One endpoint with its tools. */
export interface McpServerDescription {
  path: string;
  name: string;
  title: string;
  /** For a model, before it has seen a tool. */
  instructions: string;
  tools: readonly Tool[];
}
