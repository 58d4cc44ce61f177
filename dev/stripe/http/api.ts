import { setTimeout as pause } from "node:timers/promises";
import { settle } from "../objects/due.ts";
import { apiVersion } from "../state/blank.ts";
import { invalid, StripeFailure } from "../state/errors.ts";
import type { World } from "../state/world.ts";
import { keyOf, requireRight } from "./access.ts";
import { checkExpand, expand } from "./expand.ts";
import { type Fault, nextFault } from "./faults.ts";
import { type Form, readForm } from "./form.ts";
import { type Answer, openKeys } from "./idempotency.ts";
import { type Operation, operations } from "./operations.ts";
import { type Fields, readParams } from "./params.ts";

/** A request to Stripe's API, with names of headers in small letters. */
export interface ApiRequest {
  method: string;
  path: string;
  query: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** An answer, or `cut`: the connection ends without one. */
export type ApiAnswer = { headers: Record<string, string>; status: number; body: unknown } | "cut";

/** What is known of a request while it is answered. */
interface Passage {
  id: string;
  key: string | null;
  params: Form;
  ran: boolean;
  replayOf: string | null;
  fault: Fault | undefined;
}

/** Answers the requests to Stripe's API, one after the other except while a fault makes one wait. */
export const openApi = (world: World): ((request: ApiRequest) => Promise<ApiAnswer>) => {
  const keys = openKeys(world);

  const answer = async (request: ApiRequest, passage: Passage): Promise<Answer> => {
    const { method, path, headers } = request;
    const apiKey = keyOf(world.store, one(headers["authorization"]));
    stopAtEdge(passage.fault);
    checkVersion(one(headers["stripe-version"]));
    const { operation, id } = find(method, path);
    requireRight(apiKey, operation.right);
    const key = method === "POST" ? passage.key : null;
    if (key === null) return (await execute(operation, passage, id)).answer;
    const kept = keys.begin(key, path, passage.params);
    if (kept !== undefined) {
      passage.replayOf = kept.request;
      return kept.answer;
    }
    let keep: Answer | null = null;
    try {
      const done = await execute(operation, passage, id);
      keep = done.keep;
      return done.answer;
    } finally {
      if (keep === null) keys.free(key);
      else keys.keep(key, path, passage.params, keep, passage.id);
    }
  };

  /** The answer, and what the idempotency key keeps: nothing (null) while the operation has not begun. */
  const execute = async (operation: Operation, passage: Passage, id: string): Promise<Executed> => {
    const { fault } = passage;
    if (fault?.kind === "slow" && fault.when === "before") await pause(fault.ms ?? 0);
    const broken = fault?.kind === "error" ? fromFailure(failureOf(fault)) : undefined;
    if (broken !== undefined && fault?.when === "before") return { answer: broken, keep: broken };
    const done = attempt(operation, passage, id);
    if (broken === undefined || done.keep === null) return done;
    // A 500 is Stripe's own and is kept; another comes from before Stripe, which knows what it did.
    return { answer: broken, keep: broken.status === 500 ? broken : done.keep };
  };

  /** Stripe keeps an answer only once the operation has begun: not if it cannot read the parameters. */
  const attempt = (operation: Operation, passage: Passage, id: string): Executed => {
    try {
      const { paths, params } = paramsOf(operation, passage.params);
      passage.ran = true;
      const cause = { id: passage.id, idempotency_key: passage.key };
      const done = world.within({ cause }, () => operation.run(world, params, id));
      const answer: Answer = { status: 200, body: expand(world, done, paths) };
      return { answer, keep: answer };
    } catch (error) {
      if (!(error instanceof StripeFailure)) throw error;
      const answer = fromFailure(error);
      return { answer, keep: passage.ran ? answer : null };
    }
  };

  return async (request) => {
    const { method, path, headers } = request;
    const passage: Passage = {
      id: world.newId("req"),
      key: one(headers["idempotency-key"]) ?? null,
      params: readForm(method === "POST" ? request.body : request.query),
      ran: false,
      replayOf: null,
      fault: nextFault(world.store, method, path),
    };
    settle(world);
    const result = await answer(request, passage).catch((error: unknown): Answer | "cut" => {
      if (error instanceof Cut) return "cut";
      if (error instanceof StripeFailure) return fromFailure(error);
      console.error(error);
      return fromFailure(new StripeFailure(500, "api_error", `The simulator failed: ${String(error)}`));
    });
    const { fault } = passage;
    const cut = result === "cut" || (fault?.kind === "reset" && fault.when === "after");
    world.record({
      kind: "request",
      request: passage.id,
      method,
      path,
      params: passage.params,
      idempotency_key: passage.key,
      status: cut ? null : result.status,
      error: cut ? null : errorOf(result),
      replayed: passage.replayOf !== null,
      ran: passage.ran,
      fault: fault === undefined ? null : `${fault.kind} ${fault.when}`,
    });
    world.store.commit();
    if (fault?.kind === "slow" && fault.when === "after") await pause(fault.ms ?? 0);
    if (cut) return "cut";
    return { ...result, headers: answerHeaders(passage, one(headers["stripe-version"]), result.status) };
  };
};

const paramsOf = ({ params: { fields, required }, object, list }: Operation, form: Form) => {
  const shape: Fields = { fields: { ...fields, expand: { list: "string" } }, ...(required ? { required } : {}) };
  const { expand: paths = [], ...params } = readParams(form, shape) as { expand?: string[] };
  checkExpand(paths, object, list);
  return { paths, params };
};

class Cut extends Error {}

interface Executed {
  answer: Answer;
  keep: Answer | null;
}

const stopAtEdge = (fault: Fault | undefined): void => {
  if (fault?.when !== "before") return;
  if (fault.kind === "reset") throw new Cut();
  if (isEdge(fault)) throw failureOf(fault);
};

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

const fromFailure = ({ status, body }: StripeFailure): Answer => ({ status, body });

const errorOf = ({ body }: Answer): string | null => {
  const { error } = body as { error?: { code?: string; type: string } };
  return error === undefined ? null : (error.code ?? error.type);
};

/** Whether the fault is of what stands before Stripe's operations, and so is kept under no key. */
const isEdge = ({ kind, status = 500 }: Fault): boolean =>
  kind === "rate_limit" || kind === "lock_timeout" || (kind === "error" && status !== 500);

const failureOf = ({ kind, status = 500 }: Fault): StripeFailure => {
  if (kind === "rate_limit") {
    const message =
      "Request rate limit exceeded. You can learn more about rate limits here https://stripe.com/docs/rate-limits.";
    return new StripeFailure(429, "invalid_request_error", message, { code: "rate_limit" });
  }
  if (kind === "lock_timeout") {
    const message =
      "This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request.";
    return new StripeFailure(429, "invalid_request_error", message, { code: "lock_timeout" });
  }
  const message = "An unknown error occurred, please contact us via https://support.stripe.com/.";
  return new StripeFailure(status, "api_error", message);
};

const checkVersion = (version: string | undefined): void => {
  if (version === undefined || /^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(version)) return;
  throw invalid(`Invalid Stripe API version: ${version}`);
};

const find = (method: string, path: string): { operation: Operation; id: string } => {
  for (const operation of operations) {
    if (operation.method !== method) continue;
    const [before = "", after = ""] = operation.path.split("{id}");
    if (!operation.path.includes("{id}")) {
      if (path === operation.path) return { operation, id: "" };
      continue;
    }
    if (!path.startsWith(before) || !path.endsWith(after)) continue;
    const id = path.slice(before.length, path.length - after.length);
    if (id !== "" && !id.includes("/")) return { operation, id: decodeURIComponent(id) };
  }
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`;
  throw new StripeFailure(404, "invalid_request_error", message);
};

const answerHeaders = (passage: Passage, version: string | undefined, status: number): Record<string, string> => ({
  "Content-Type": "application/json",
  "Request-Id": passage.id,
  "Stripe-Version": version ?? apiVersion,
  ...(passage.key === null ? {} : { "Idempotency-Key": passage.key }),
  ...(passage.replayOf === null ? {} : { "Idempotent-Replayed": "true", "Original-Request": passage.replayOf }),
  ...(status === 429 ? { "Stripe-Should-Retry": "true" } : {}),
  // A 500 is kept under its key, so that trying again is of no use.
  ...(status === 500 ? { "Stripe-Should-Retry": "false" } : {}),
  ...(status === 429 && passage.fault?.kind === "rate_limit" ? { "Stripe-Rate-Limited-Reason": "global-rate" } : {}),
});
