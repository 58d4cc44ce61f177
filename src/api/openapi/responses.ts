import { type ProblemCode, problems } from "../../requests/errors.ts";
import { problemType } from "../problem.ts";
import { type Components, type Json, problemSchema } from "./components.ts";
import type { Operation } from "./operation.ts";

/** Every answer that an operation can give: its own, and the errors of each status by their codes. */

/** Those that an operation has by what it is. */
function impliedProblems(operation: Operation): ProblemCode[] {
  const { auth, method, streams } = operation;
  const changes = method !== "get";
  const when = (holds: boolean, ...codes: ProblemCode[]) => (holds ? codes : []);
  return [
    "malformed_request",
    "timed_out",
    "headers_too_large",
    ...when(auth === "token", "unauthenticated", "scope_missing"),
    ...when(auth === "token" && changes, "origin_refused"),
    ...when(auth === "token" && !operation.withoutTeam, "not_a_member"),
    ...when(!streams, "not_acceptable"),
    ...when(changes, "body_too_large", "unsupported_media_type"),
    "invalid",
    ...when(auth === "credentials" || operation.tier !== "none", "rate_limited"),
    ...when(streams === true, "limit_reached"),
    "internal",
    "unavailable",
  ];
}

const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

const told: Json = { RateLimit: header("RateLimit"), "RateLimit-Policy": header("RateLimitPolicy") };
const limited = (operation: Operation): Json => (operation.tier === "none" ? {} : told);

/** Before the limit was looked at there is nothing to tell of it. */
const uncounted = new Set([400, 401, 406, 408, 431]);

function problemResponse(operation: Operation, status: number, codes: ProblemCode[], components: Components): Json {
  const examples = codes.map((code) => [code, components.example(code)] as const);
  return {
    description: `${codes.map((code) => `${problems[code].title} (\`${code}\`)`).join("; ")}.`,
    headers: {
      "X-Request-Id": header("RequestId"),
      ...(uncounted.has(status) ? {} : status === 429 ? told : limited(operation)),
      ...(status === 429 || status === 503 ? { "Retry-After": header("RetryAfter") } : {}),
    },
    content: {
      [problemType]: {
        schema: components.schema(problemSchema, "output", "Problem"),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** One event of a stream: readers of OpenAPI take the schema of `text/event-stream` for that of each event. */
const eventSchema = (data: Json): Json => ({
  type: "object",
  required: ["data"],
  properties: {
    id: { type: "string", description: "The value for `Last-Event-ID` to resume after this event." },
    event: { type: "string", description: "Its kind." },
    data: { type: "string", contentMediaType: "application/json", contentSchema: data },
  },
});

function contentOf(operation: Operation, components: Components): Json {
  const { answer, examples, streams, id } = operation;
  if (streams) return { "text/event-stream": { schema: eventSchema(components.schema(answer.schema, "output")) } };
  if (answer.type !== undefined) {
    const example = typeof examples.response === "string" ? { example: examples.response } : {};
    return { [answer.type]: { schema: { type: "string" }, ...example } };
  }
  const schema = components.schema(answer.schema, "output", `${capital(id)}Answer`);
  return { "application/json": { schema, example: examples.response } };
}

/** Whether its answer has an ETag. */
export const isTagged = ({ method, streams, answer }: Operation): boolean =>
  method === "get" && !streams && answer.status === 200;

const ownResponse = (operation: Operation, components: Components): Json => ({
  description: operation.answer.description,
  headers: {
    "X-Request-Id": header("RequestId"),
    ...limited(operation),
    ...(isTagged(operation) ? { ETag: header("ETag") } : {}),
    ...(operation.answer.status === 303 ? { Location: header("Redirect") } : {}),
    ...(operation.answer.location === undefined ? {} : { Location: header("Location") }),
  },
  content: contentOf(operation, components),
  ...linksOf(operation),
});

/** Parameter → where its value stands: a runtime expression of OpenAPI's. */
type Values = Readonly<Record<string, string>>;

const answered = (place: string): string => `$response.body#/${place}`;
const migration = (place: string): Readonly<Record<string, Values>> =>
  Object.fromEntries(
    [
      "getMigration",
      "getMigrationLogs",
      "getMigrationReport",
      "streamMigrationEvents",
      "checkoutMigration",
      "retryMigration",
      "resetMigration",
      "deleteMigration",
    ].map((to) => [to, { id: answered(place) }]),
  );
const backup = (place: string): Readonly<Record<string, Values>> =>
  Object.fromEntries(
    ["getBackup", "updateBackup", "deleteBackup", "runBackup", "listBackupRuns"].map((to) => [
      to,
      { id: answered(place) },
    ]),
  );
const run = (place: string): Readonly<Record<string, Values>> =>
  Object.fromEntries(
    ["getBackupRun", "verifyBackupRun", "restoreBackup"].map((to) => [
      to,
      { id: "$request.path.id", run: answered(place) },
    ]),
  );
const team = { team: answered("team/id") };
const member = { team: "$request.path.team", account: answered("member/account") };

/** What an answer leads to: operation → the operations that it gives parameters to. */
const links: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  createMigration: migration("migration/id"),
  listMigrations: migration("data/0/id"),
  createBackup: backup("backup/id"),
  listBackups: backup("data/0/id"),
  runBackup: run("run/id"),
  listBackupRuns: run("data/0/id"),
  restoreBackup: { getRestore: { id: answered("restore/id") } },
  listRestores: { getRestore: { id: answered("data/0/id") } },
  createToken: { revokeToken: { id: answered("id") } },
  listTokens: { revokeToken: { id: answered("data/0/id") } },
  createTeam: { switchTeam: team, listMembers: team, addMember: team },
  listTeams: { switchTeam: { team: answered("data/0/id") }, listMembers: { team: answered("data/0/id") } },
  switchTeam: { listMembers: team, addMember: team },
  joinTeam: { switchTeam: team, listMembers: team },
  addMember: { removeMember: member, listMembers: { team: member.team } },
};

function linksOf({ id }: Operation): Json {
  const found = links[id];
  if (found === undefined) return {};
  return {
    links: Object.fromEntries(
      Object.entries(found).map(([operationId, parameters]) => [operationId, { operationId, parameters }]),
    ),
  };
}

/** Those beside the usual one: an answer without a schema has no body. */
const otherResponses = (operation: Operation, components: Components): Json =>
  Object.fromEntries(
    (operation.alsoAnswers ?? []).map(({ status, description, schema }) => [
      status,
      {
        description,
        headers: { "X-Request-Id": header("RequestId"), ...limited(operation) },
        ...(schema === undefined
          ? {}
          : {
              content: {
                "application/json": {
                  schema: components.schema(schema, "output", `${capital(operation.id)}Answer${status}`),
                },
              },
            }),
      },
    ]),
  );

export function responsesOf(operation: Operation, components: Components): Json {
  const codes = [...new Set([...impliedProblems(operation), ...operation.problems])];
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return {
    [operation.answer.status]: ownResponse(operation, components),
    ...otherResponses(operation, components),
    ...(isTagged(operation)
      ? {
          "304": {
            description: "Not modified: you have the current response.",
            headers: { "X-Request-Id": header("RequestId"), ...limited(operation), ETag: header("ETag") },
          },
        }
      : {}),
    ...Object.fromEntries(
      statuses.map(([status, all]) => [status, problemResponse(operation, status, all, components)]),
    ),
  };
}
