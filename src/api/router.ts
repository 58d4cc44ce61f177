import type { Request, Response } from "express";
import * as z from "zod";
import { Problem } from "../requests/errors.ts";
import type { RequestCredentials } from "../requests/sessions/authenticate.ts";
import { requireScope } from "../requests/sessions/scope.ts";
import type { Tier } from "../requests/tiers.ts";
import type { World } from "../requests/world.ts";
import { auditedCaller, noteAudit } from "./audit.ts";
import { authenticateAndSpend, createMeter, type Who, whoCalls } from "./authenticate-and-spend.ts";
import { largestBody, largestUnauthenticatedBody, readBody } from "./body.ts";
import type { Flight } from "./flight.ts";
import { checkHeaders, goneOf } from "./incoming.ts";
import { check, invalid, readQuery } from "./input.ts";
import type { RateLimiter } from "./limits.ts";
import type { Operation, OperationCall, OperationResult } from "./openapi/operation.ts";
import { send } from "./send.ts";
import type { Streams } from "./streams/open.ts";

/**
 * Runs one operation for one request, in this order: the headers, what is accepted, who calls, the limit, the input, who calls still, the
 * verb. So a stranger learns nothing of the input's rules and sends no body for free, input that is not right counts as a call, and what was
 * revoked while a slow body came acts no more.
 */
export interface RouterOptions {
  world: World;
  limits: RateLimiter;
  streams: Streams;
  flight: Flight;
}

function checkAccept(request: Request, operation: Operation): void {
  if (operation.streams) return;
  const type = operation.answer.type ?? "application/json";
  const offered = [type, ...(operation.answer.type === undefined ? ["application/problem+json"] : [])];
  if (request.accepts(offered) === false)
    throw new Problem("not_acceptable", `The response is ${type}: send Accept: ${type}, or remove Accept.`);
}

function idempotencyKey(request: Request, operation: Operation): string | undefined {
  const key = operation.idempotent ? request.get("idempotency-key") : undefined;
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid(
      [{ field: "Idempotency-Key", message: "must be 1 to 255 visible characters of ASCII, such as a UUID" }],
      "headers",
    );
  return key;
}

const scopeOf = ({ method, scope = method === "get" ? "read" : "write" }: Operation) => scope;

const shownBy = (request: Request): RequestCredentials => ({
  authorization: request.get("authorization"),
  cookie: request.get("cookie"),
  origin: request.get("origin"),
  method: request.method,
});

/** The answer of a sign-up or sign-in: whose account it opened. */
const opened = z.object({ account: z.object({ id: z.string() }) });

async function callerOf(world: World, { auth, withoutTeam }: Operation, request: Request): Promise<Who> {
  return auth === "token" ? whoCalls(world, shownBy(request), withoutTeam ? "account" : "team") : {};
}

async function inputOf(
  operation: Operation,
  request: Request,
): Promise<Pick<OperationCall, "params" | "query" | "body">> {
  const params = (
    operation.params ? check(operation.params, request.params, "path") : request.params
  ) as OperationCall["params"];
  const at = request.url.indexOf("?");
  const given = at < 0 ? {} : readQuery(request.url.slice(at + 1));
  const query = operation.query ? check(operation.query, taken(operation, given), "query") : noneTaken(given);
  // A GET's body means nothing in HTTP.
  const most = operation.auth === "token" ? largestBody : largestUnauthenticatedBody;
  const value = operation.method === "get" ? undefined : await readBody(request, most);
  if (operation.body === undefined) {
    if (value !== undefined && JSON.stringify(value) !== "{}")
      throw invalid([{ field: "body", message: "is not allowed here: remove it" }], "body");
    return { params, query, body: {} };
  }
  if (value === undefined && !operation.bodyOptional)
    throw invalid([{ field: "body", message: "is required (JSON object)" }], "body");
  return { params, query, body: check(operation.body, value === undefined ? {} : value, "body") };
}

function taken({ query, queryOfOthers }: Operation, given: Record<string, string>): Record<string, string> {
  if (!queryOfOthers || query === undefined) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(query.shape, name)));
}

function noneTaken(given: Record<string, string>): Record<string, unknown> {
  const names = Object.keys(given);
  if (names.length > 0)
    throw invalid(
      names.slice(0, 20).map((field) => ({ field, message: "is unknown: remove it; no fields are allowed here" })),
      "query",
    );
  return {};
}

/** Answers the request; what is thrown is for the app to show. */
export async function runOperation(
  operation: Operation,
  { world, limits, streams, flight }: RouterOptions,
  request: Request,
  response: Response,
): Promise<void> {
  const meter = createMeter(limits, response);
  checkHeaders(request);
  checkAccept(request, operation);
  const holds = world.fresh.look();
  const audits = operation.audited ?? (operation.auth !== "none" && operation.method !== "get");
  if (audits) noteAudit(response, {});
  const { who: first, owner } = await authenticateAndSpend({
    ...{ meter, response },
    who: async () => {
      const who = await callerOf(world, operation, request);
      if (audits) noteAudit(response, auditedCaller(who));
      return who;
    },
    countsIn: () => ({ limits: operation.tier === "none" ? [] : [operation.tier] }),
  });
  const scope = scopeOf(operation);
  if (first.identity !== undefined && scope !== "own") requireScope(first.identity, scope);
  const key = idempotencyKey(request, operation);
  const lastEventId = operation.streams ? request.get("last-event-id") : undefined;
  const cookie = request.get("cookie");
  const input = await inputOf(operation, request);
  const object = Object.values(input.params).join("/");
  if (audits && object !== "") noteAudit(response, { object });
  const who = holds() ? first : await callerOf(world, operation, request);
  const call: OperationCall = {
    ...who,
    ...input,
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(lastEventId === undefined ? {} : { lastEventId }),
    asked: { requestId: String(response.locals["id"]), signal: goneOf(response) },
    address: request.ip ?? "",
    ...(cookie === undefined ? {} : { cookie }),
    spend: (tier: Tier) => (owner === undefined ? Promise.resolve() : meter.spend([tier], owner)),
    attempt: (of, by, how) => meter.attempt(`credentials_${of}`, by, how),
  };
  const answer: OperationResult = await operation.run(world, call);
  if (operation.auth === "credentials") response.locals["account"] = opened.safeParse(answer.body).data?.account.id;
  if (answer.stream === undefined) return send(request, response, operation, answer, flight);
  await streams.write(request, response, answer.stream, owner ?? "", async () => {
    const still = await callerOf(world, operation, request);
    return still.caller?.team.metadata.name === who.caller?.team.metadata.name;
  });
}
