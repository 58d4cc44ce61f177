import { join } from "node:path";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { type S3Server, startS3 } from "../../dev/s3/index.ts";
import { type Answer, type Asked, type Caller, createCaller } from "../api/http.ts";
import { type Installation, startInstallation } from "../api/installation.ts";
import { connectTo, type Said } from "../mcp/connect.ts";
import { fetchBy } from "../mcp/fetch-by.ts";
import { type Node, startNode } from "./pods.ts";
import { installedBucket } from "./support.ts";

/** The complete service with backups: API, prober, operator and workers as processes, and the installation's bucket. */

export interface Service {
  installation: Installation;
  s3: S3Server;
  node: Node;
  ask: Caller["ask"];
  signUp(): Promise<{ token: string; team: string }>;
  stop(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    const [tools, s3] = await Promise.all([pgTools(), startS3()]);
    stops.push(s3.stop);
    const installation = await startInstallation(1, (folder) => ({
      operator: installedBucket(s3, s3, join(folder, "bucket")),
    }));
    stops.push(installation.stop);
    const { plane, operator, place, replicas } = installation;
    const node = startNode(plane, { endpoint: operator.endpoint, env: { ROWFERRY_PG_BIN: tools } });
    stops.push(node.stop);
    const { ask, close } = createCaller(place.folder, replicas[0]?.port ?? 0);
    stops.push(close);
    let people = 0;
    const signUp = async () => {
      const email = `person-${++people}@example.com`;
      const made = await ask("/api/account", { body: { email, password: `a long passphrase ${people}` } });
      if (made.status !== 201) throw new Error(`signing up: ${made.status} ${made.text}`);
      const cookie = made.headers["set-cookie"]?.map((line) => line.split(";")[0]).join("; ") ?? "";
      const headers = { origin: place.baseUrl };
      const minted = await ask("/api/tokens", { cookie, headers, body: { name: "test" } });
      if (minted.status !== 201) throw new Error(`minting: ${minted.status} ${minted.text}`);
      return { token: String(minted.body.token), team: String(made.body.account.acting_team) };
    };
    return { installation, s3, node, ask, signUp, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Job {
  id: string;
  status: string;
  rows?: number | null;
}

/** What a person does with backups, by REST or by MCP. A refusal is a code of docs/errors.md. */
export interface Surface {
  create(body: object): Promise<string>;
  schedules(): Promise<string[]>;
  runNow(id: string): Promise<string>;
  runs(id: string): Promise<Job[]>;
  restore(id: string, run: string, target_url: string): Promise<string>;
  restored(id: string, restore: string): Promise<Job | undefined>;
  /** Every answer so far, as it came. */
  heard: string[];
  close(): Promise<void>;
}

export type Open = (service: Service, token: string) => Promise<Surface>;

export const byRest: Open = async ({ ask }, token) => {
  const heard: string[] = [];
  const call = async (path: string, asked: Asked = {}): Promise<Answer> => {
    const answer = await ask(path, { token, ...asked });
    heard.push(answer.text);
    if (answer.status >= 400) throw new Error(String(answer.body.code));
    return answer;
  };
  const at = (id: string) => `/api/backups/${id}`;
  return {
    heard,
    create: async (body) => (await call("/api/backups", { body })).body.backup.id,
    schedules: async () => (await call("/api/backups")).body.data.map(({ id }: Job) => id),
    runNow: async (id) => (await call(`${at(id)}/run`, { method: "POST" })).body.run.id,
    runs: async (id) => (await call(`${at(id)}/runs`)).body.data,
    restore: async (id, run, target_url) =>
      (await call(`${at(id)}/runs/${run}/restore`, { body: { target_url } })).body.restore.id,
    restored: async (_id, restore) => (await call(`/api/restores/${restore}`)).body,
    close: async () => undefined,
  };
};

export const byMcp: Open = async ({ ask, installation }, token) => {
  const heard: string[] = [];
  const mcp = await connectTo(new URL("/mcp", installation.place.baseUrl), token, fetchBy(ask));
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Said["data"]> => {
    const { text, data, isError } = await mcp.call(name, input);
    heard.push(text, JSON.stringify(data ?? null));
    if (isError) throw new Error(/^\w+/.exec(text)?.[0] ?? text);
    return data;
  };
  return {
    heard,
    create: async (body) => (await call("create-backup-tool", { ...body })).backup.id,
    schedules: async () => (await call("list-backups-tool")).data.map(({ id }: Job) => id),
    runNow: async (id) => (await call("run-backup-now-tool", { id })).run.id,
    runs: async (id) => (await call("list-backup-runs-tool", { id })).data,
    restore: async (id, run, target_url) => (await call("restore-backup-tool", { id, run, target_url })).restore.id,
    restored: async (id, restore) =>
      (await call("list-backup-runs-tool", { id })).restores.find((one: Job) => one.id === restore),
    close: () => mcp.client.close(),
  };
};
