import { createHash } from "node:crypto";
import { invalid, StripeFailure } from "../state/errors.ts";
import type { World } from "../state/world.ts";
import type { Form } from "./form.ts";

export interface Answer {
  status: number;
  body: unknown;
}

interface Kept extends Answer {
  at: number;
  path: string;
  digest: string;
  request: string;
}

const keptSeconds = 86_400;
const longest = 255;

/** Stripe's rules for `Idempotency-Key`: one answer for a key and its parameters, for 24 hours by the clock. */
export interface Keys {
  /**
   * The answer that the key has, and the request that it answered; undefined if the request may run, which then ends
   * with `keep` or `free`. Errors: other parameters or path (400), the first request still runs (409).
   */
  begin(key: string, path: string, form: Form): { answer: Answer; request: string } | undefined;
  keep(key: string, path: string, form: Form, answer: Answer, request: string): void;
  free(key: string): void;
}

export const openKeys = (world: World): Keys => {
  const running = new Set<string>();
  return {
    begin(key, path, form) {
      if (key.length > longest) throw invalid(`The idempotency key must be at most ${longest} characters.`);
      if (running.has(key)) {
        const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`;
        throw new StripeFailure(409, "idempotency_error", message, { code: "idempotency_key_in_use" });
      }
      const kept = world.store.get<Kept>("keys", key);
      if (kept === undefined || world.now() >= kept.at + keptSeconds) {
        running.add(key);
        return undefined;
      }
      const advice = `Try using a key other than '${key}' if you meant to execute a different request.`;
      if (kept.path !== path) {
        const message = `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${kept.path}'). ${advice}`;
        throw new StripeFailure(400, "idempotency_error", message);
      }
      if (kept.digest !== digest(form)) {
        const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. ${advice}`;
        throw new StripeFailure(400, "idempotency_error", message);
      }
      return { answer: { status: kept.status, body: kept.body }, request: kept.request };
    },
    keep(key, path, form, { status, body }, request) {
      running.delete(key);
      const kept: Kept = { at: world.now(), path, digest: digest(form), request, status, body };
      world.store.set("keys", key, kept);
    },
    free: (key) => running.delete(key),
  };
};

/** The same for parameters in another order. */
const digest = (form: Form): string =>
  createHash("sha256")
    .update(JSON.stringify(sorted(form)))
    .digest("hex");

const sorted = (value: Form | string): unknown =>
  typeof value === "string"
    ? value
    : Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, inner]) => [name, sorted(inner)]);
