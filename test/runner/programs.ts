import type { ToolName } from "../../dev/cluster/binaries/index.ts";
import { describe } from "../../dev/terminal/index.ts";
import type { Part } from "./parts.ts";

/**
 * Programs that parts need and that a clean machine builds from source, Kubernetes for six minutes or more. They are built before
 * the jobs that need them start, while others run, so that a job that makes no progress hangs.
 */
export interface Programs {
  /** False while one of the part's programs is being made. */
  ready(part: Part): boolean;
  /** Why the part cannot run: one of its programs cannot be made. */
  lacking(part: Part): string | undefined;
  /** Resolves when one more program is there, or cannot be made. */
  change(): Promise<void>;
  /** Resolves when nothing is being made any more. */
  end: Promise<void>;
}

export interface Making {
  isThere(name: ToolName): boolean;
  make(name: ToolName, signal: AbortSignal): Promise<unknown>;
  stopped: AbortSignal;
  /** Of one program. */
  limitMs?: number;
}

export const buildMinutes = 30;

/** In the order of making: what most parts need, then the rest of the cluster's, since the cluster takes longest. */
const order: readonly ToolName[] = ["kubernetes", "helm", "coredns", "versitygw", "kubeconform", "stripeMock"];

export const programsOf = ({ kubernetes, programs = [] }: Part): readonly ToolName[] =>
  kubernetes ? ["kubernetes", ...programs] : programs;

/** Makes what the parts lack, one after the other. */
export function makePrograms(
  parts: readonly Part[],
  { isThere, make, stopped, limitMs = buildMinutes * 60_000 }: Making,
): Programs {
  const wanted = new Set(parts.flatMap(programsOf));
  const pending = new Set(order.filter((name) => wanted.has(name) && !isThere(name)));
  const failed = new Map<ToolName, string>();
  let changed = Promise.withResolvers<void>();

  const makeOne = async (name: ToolName): Promise<void> => {
    try {
      stopped.throwIfAborted();
      await make(name, AbortSignal.any([stopped, AbortSignal.timeout(limitMs)]));
    } catch (error) {
      failed.set(name, describe(error));
    }
    pending.delete(name);
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const end = [...pending].reduce((before, name) => before.then(() => makeOne(name)), Promise.resolve());

  return {
    ready: (part) => programsOf(part).every((name) => !pending.has(name)),
    lacking(part) {
      const name = programsOf(part).find((program) => failed.has(program));
      return name === undefined ? undefined : `not run: ${name} could not be made: ${failed.get(name)}`;
    },
    change: () => changed.promise,
    end,
  };
}
