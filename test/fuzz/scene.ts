import { randomBytes } from "node:crypto";
import { startDatabase } from "../../dev/databases/index.ts";
import { sessionCookie } from "../../src/requests/sessions/session.ts";
import { type Answer, type Asked, type Caller, createCaller } from "../api/http.ts";
import { type Installation, startInstallation } from "../api/installation.ts";
import { until } from "../operator/control-plane.ts";
import { endRun, makeSchedules } from "./backups.ts";
import { playRun } from "./runs.ts";

/** A real installation, and two accounts on it with data whose every piece holds the account's canary. */
export interface Scene {
  installation: Installation;
  /** Asks the API. */
  caller: Caller;
  people: [Person, Person];
  /** As `/openapi.json` answers. */
  document: unknown;
  /** Passwords of the URLs that were given to the API; no answer may have them. */
  secrets: string[];
  /** Of databases that may be dialled, at which nothing listens. */
  urls: Pair;
  /** Of databases that answer. */
  live: Pair;
  close(): Promise<void>;
}

interface Pair {
  source: string;
  target: string;
}

export interface Person {
  name: string;
  email: string;
  canary: string;
  /** The header of a session. */
  cookie: string;
  password: string;
  /** A quote for the databases that answer. */
  estimate: string;
  /** Tokens in plain text that the account's own calls show. */
  tokens: string[];
  ids: Record<"migrations" | "teams" | "tokens" | "backups" | "runs" | "restores", string[]>;
  /** By an operation's id: migrations with which it succeeds, those that it changes once each. */
  suited: Record<string, string[]>;
}

const many = 5;
const outcomes = ["completed", "failed", "completed", "failed", "failed", undefined, undefined, undefined] as const;

export async function openScene(): Promise<Scene> {
  const installation = await startInstallation(1);
  const [replica] = installation.replicas;
  const caller = createCaller(installation.place.folder, replica?.port ?? 0);
  let database: Awaited<ReturnType<typeof startDatabase>> | undefined;
  const close = async () => {
    caller.close();
    await installation.stop();
    await database?.stop();
  };
  try {
    database = await startDatabase("postgres");
    const other = new URL(database.url);
    other.pathname = "/template1";
    const live = { source: database.url, target: other.href };
    const secret = `planted-${randomBytes(9).toString("hex")}`;
    const urls = {
      source: `mysql://reader:${secret}@127.0.0.1:9/shop`,
      target: `postgres://writer:${secret}@127.0.0.1:9/shop`,
    };
    const people = await Promise.all([
      makePerson(caller, installation, "ann", { urls, live }),
      makePerson(caller, installation, "bob", { urls, live }),
    ]);
    const { body: document } = await caller.ask("/openapi.json");
    // Messages to the MCP servers have a fuzzer of their own (mcp.ts), and the documentation takes nothing but a name.
    for (const path of Object.keys(document.paths)) if (/^\/(mcp|docs|llms)/.test(path)) delete document.paths[path];
    return { installation, caller, people, document, secrets: [secret], urls, live, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makePerson(
  caller: Caller,
  installation: Installation,
  name: string,
  { urls, live }: Pick<Scene, "urls" | "live">,
): Promise<Person> {
  const canary = `canary-${name}-${randomBytes(6).toString("hex")}`;
  const email = `${canary}@example.com`;
  const ask = async (path: string, asked: Asked): Promise<Answer> => {
    const answer = await caller.ask(path, asked);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const password = randomBytes(16).toString("base64url");
  const signedUp = await ask("/api/account", { body: { email, password } });
  const cookies = signedUp.headers["set-cookie"] ?? [];
  const cookie = cookies.find((line) => line.startsWith(sessionCookie))?.split(";")[0] ?? "";
  const team = String(signedUp.body.account.acting_team);
  const own = { cookie, headers: { origin: installation.place.baseUrl } };
  const tokens: Answer[] = [];
  const teams: Answer[] = [];
  for (let at = 0; at < many; at += 1) {
    tokens.push(await ask("/api/tokens", { ...own, body: { name: `${canary} ${at}` } }));
    teams.push(await ask("/api/teams", { ...own, body: { name: `${canary} ${at}` } }));
  }
  const migrations: string[] = [];
  for (const outcome of outcomes) {
    const options = { include: [`${canary}.orders`] };
    const body = { source_url: `${urls.source}-${canary}`, target_url: urls.target, options };
    const made = await until(`${name}'s team to be ready`, () => ask("/api/migrations", { ...own, body }));
    const id = String(made.body.migration.id);
    migrations.push(id);
    // Some have a log and a report to show, or a failure to retry.
    if (outcome !== undefined) await playRun(installation, `rowferry-${team}`, id, { outcome, canary });
  }
  const migrationsThat = (outcome: (typeof outcomes)[number]) => migrations.filter((_, at) => outcomes[at] === outcome);
  const [shown = "", ...failed] = migrationsThat("failed");
  const waiting = migrationsThat(undefined);
  const namespace = `rowferry-${team}`;
  const [spare = "", ...schedules] = await makeSchedules(ask, own, { url: urls.target, canary });
  const ended: { backup: string; run: string; restore: string }[] = [];
  for (const backup of schedules) {
    const made = await ask(`/api/backups/${backup}/run`, { ...own, method: "POST" });
    const run = String(made.body.run.id);
    ended.push({ backup, run, restore: await endRun(installation, namespace, { backup, run, canary }) });
  }
  const quoted = await ask("/api/estimates", {
    ...own,
    body: { source_url: live.source, target_url: live.target },
  });
  return {
    name,
    email,
    canary,
    cookie,
    password,
    estimate: String(quoted.body.estimate_id),
    tokens: tokens.map(({ body }) => String(body.token)),
    ids: {
      migrations: [...migrationsThat("completed"), shown, ...waiting.slice(0, 1)],
      teams: [team, ...teams.map(({ body }) => String(body.team.id))],
      tokens: tokens.map(({ body }) => String(body.id)),
      backups: schedules,
      // Each of the schedule in the same place.
      runs: ended.map(({ run }) => run),
      restores: ended.map(({ restore }) => restore),
    },
    suited: {
      getMigration: [...migrationsThat("completed"), shown],
      getMigrationLogs: [...migrationsThat("completed"), shown],
      streamMigrationEvents: [...migrationsThat("completed"), shown],
      getMigrationReport: migrationsThat("completed"),
      retryMigration: failed,
      deleteMigration: waiting.slice(1),
      deleteBackup: [spare],
    },
  };
}
