import * as z from "zod";

// What the control endpoint takes, as JSON.

const seconds = z.number().nonnegative();
const count = z.number().int().min(1).nullable().default(1);

export const twist = z.strictObject({
  amount: z.number().int().optional(),
  currency: z.string().length(3).optional(),
  email: z.string().optional(),
});

export const amount = z.strictObject({ amount: z.number().int().min(1).optional() });

export const verdict = z.strictObject({ status: z.enum(["won", "lost"]) });

export const card = z.strictObject({ fails: z.boolean() });

export const clock = z.union([z.strictObject({ advance: seconds }), z.strictObject({ to: seconds })]);

export const fault = z.strictObject({
  kind: z.enum(["reset", "slow", "error", "rate_limit", "lock_timeout"]),
  when: z.enum(["before", "after"]).default("before"),
  status: z.number().int().min(500).max(599).optional(),
  ms: seconds.optional(),
  times: count,
  method: z.enum(["GET", "POST", "DELETE"]).optional(),
  path: z.string().optional(),
});

export const rule = z.strictObject({
  kind: z.enum(["drop", "delay", "duplicate", "hold", "bad_signature", "old_timestamp"]),
  type: z.string().default("*"),
  seconds: seconds.optional(),
  times: count,
});

export const release = z.strictObject({ ids: z.array(z.string()).optional() });

export const endpoint = z.strictObject({
  url: z.url(),
  events: z.array(z.string()).default(["*"]),
  secrets: z.array(z.string().min(1)).min(1),
});

export const apiKey = z.strictObject({ key: z.string().min(1), rights: z.array(z.string()).nullable().default(null) });

export const price = z.strictObject({
  id: z.string(),
  product: z.string(),
  name: z.string(),
  currency: z.string().length(3),
  unit_amount: z.number().int(),
  interval: z.enum(["day", "week", "month", "year"]).optional(),
});

export const settings = z.strictObject({
  holdSeconds: seconds.optional(),
  portalCancels: z.enum(["at_period_end", "immediately"]).optional(),
  paymentRetrySeconds: z.array(seconds).optional(),
  webhookRetrySeconds: z.array(seconds).optional(),
});

export const mark = z.strictObject({ what: z.string().min(1).max(500) });

export const nothing = z.strictObject({});
