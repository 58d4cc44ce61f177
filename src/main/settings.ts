import * as z from "zod";
import { parseCidrs } from "../guard/policy.ts";
import { tlsModes } from "../resources/tls-mode.ts";

/** The kinds of settings that the processes have, each from an environment variable, and how all of one's are read at once. */

/** A whole number from `least` to `most`. */
export const number = (fallback: number, least: number, most: number) =>
  z.coerce.number().int().min(least).max(most).default(fallback);

/** A number from `least` to `most`, also a part of one. */
export const fraction = (fallback: number, least: number, most: number) =>
  z.coerce.number().min(least).max(most).default(fallback);

export const flag = (fallback: boolean) =>
  z
    .enum(["true", "false"])
    .default(fallback ? "true" : "false")
    .transform((text) => text === "true");

/** What `read` makes of the text; its error is an issue in these words. */
const tried =
  <T>(read: (text: string) => T, words: (error: unknown) => string) =>
  (text: string, context: z.RefinementCtx): T => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: words(error) });
      return z.NEVER;
    }
  };

/** JSON of this shape. */
export const json = <Shape extends z.ZodType>(shape: Shape, fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform(
      tried(
        (text): unknown => JSON.parse(text),
        () => "is not JSON",
      ),
    )
    .pipe(shape);

/** A bucket of S3; undefined for null, which is the default. */
export const bucketSetting = json(
  z
    .object({
      endpoint: z.url().optional(),
      region: z.string().min(1),
      bucket: z.string().min(1),
      prefix: z.string().optional(),
      ca: z.string().optional(),
    })
    .nullable(),
  "null",
).transform((bucket) => bucket ?? undefined);

/** What is between commas or spaces; none where it is left out. */
export const list = z
  .string()
  .default("")
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ""));

/** CIDRs, with commas between; none where it is left out. The error names the one that is wrong. */
export const cidrs = z
  .string()
  .default("")
  .transform(tried(parseCidrs, (error) => (error instanceof Error ? error.message : "is not a list of CIDRs")));

/** Which URLs a process may dial. */
export const guardSettings = {
  ROWFERRY_GUARD_ALLOW: cidrs.describe("CIDRs that a URL may lead to although the guard refuses such addresses."),
  ROWFERRY_GUARD_REFUSE: cidrs.describe("CIDRs that are refused beside: the cluster's pod and service ranges."),
  ROWFERRY_GUARD_MIN_TLS: z
    .enum(tlsModes)
    .default("disable")
    .describe("The lowest allowed sslmode of a connection URL."),
};

export const guardOf = (config: { [Name in keyof typeof guardSettings]: z.output<(typeof guardSettings)[Name]> }) => ({
  allow: config.ROWFERRY_GUARD_ALLOW,
  refuse: config.ROWFERRY_GUARD_REFUSE,
  minTls: config.ROWFERRY_GUARD_MIN_TLS,
});

/** Of every process that serves. */
export const servingSettings = {
  ROWFERRY_HEALTH_PORT: number(8080, 0, 65_535).describe("Port of /healthz, /readyz and /metrics; 0: a free one."),
  ROWFERRY_LISTEN_HOST: z.string().default("::").describe("Address that both ports listen on."),
  ROWFERRY_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
};

/** Reads the settings of a process, or throws an Error that names each variable that is missing or wrong, and never a value. */
export const settingsReader =
  <Shape extends z.ZodType>(whose: string, shape: Shape) =>
  (env: Record<string, string | undefined>): z.output<Shape> => {
    const parsed = shape.safeParse(env);
    if (parsed.success) return parsed.data;
    const lines = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`the ${whose}'s environment is not right:\n${lines.join("\n")}`);
  };
