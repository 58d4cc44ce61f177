import { isDeepStrictEqual } from "node:util";
import { type CopyOptions, type CopyReport, EngineError } from "../../contract/index.ts";

/** The options that decide what a finished copy holds and what of it was compared, with their defaults. */
const defaults = {
  include: [],
  exclude: [],
  schemas: {},
  content: "all",
  verify: "counts",
  definers: "keep",
  zero_dates: "null",
  types: {},
  on_object_error: "report",
} as const satisfies Partial<CopyOptions>;

type Deciding = { [Name in keyof typeof defaults]?: unknown };

/** A stored result, with the options of the run that stored it. Results of earlier versions lack them. */
export type FinishedCopy = CopyReport & { asked?: Deciding };

const names = Object.keys(defaults) as (keyof typeof defaults)[];

export const decidingOptions = (options: CopyOptions): Deciding =>
  Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));

/**
 * The report of a finished run, for a worker that was started with these options. Errors: `option_invalid`, where they ask
 * for another copy than the one that is finished, or for a stronger verification.
 */
export function reportFor({ asked, ...report }: FinishedCopy, options: CopyOptions): CopyReport {
  if (asked === undefined) return report;
  const differing = names.filter(
    (name) =>
      !isDeepStrictEqual(asked[name] ?? defaults[name], options[name] ?? defaults[name]) &&
      !(name === "verify" && asked.verify === "checksum"),
  );
  if (differing.length === 0) return report;
  const words = differing.map((name) => `options.${name}`).join(", ");
  throw new EngineError(
    "option_invalid",
    `this run has finished and was verified with other options (${words}). Use the same options as before to get its report; to copy with the new ones, reset the run first`,
  );
}
