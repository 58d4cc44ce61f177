import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { type Client, connect, createClient } from "../../src/cluster/index.ts";
import { sessionCookie } from "../../src/requests/sessions/session.ts";
import { bundled } from "../bundle.ts";
import { atEachFileEnd, atFileEnd } from "../file-end.ts";
import { runProgram } from "../run-program.ts";
import { type Answer, type Asked, type Caller, createCaller } from "./http.ts";
import "./setup.ts";
import { type Started, startApi } from "./start.ts";

/** What the tests of the API share; see setup.ts for what runs. */

export const provided = inject("api");
const replicas: Caller[] = provided.ports.map((port) => createCaller(provided.folder, port));
const [first] = replicas;
// The next file of this process begins with new connections: a kept one may be over by then.
atEachFileEnd(() => {
  for (const caller of replicas) caller.close();
});

/** As cluster-admin. */
const connection = connect({ kubeconfig: provided.adminKubeconfig });
export const admin: Client = createClient(connection);

/** Asks one of the two replicas, the first unless another is named. */
export function api(path: string, asked: Asked & { replica?: number } = {}): Promise<Answer> {
  const caller = replicas[asked.replica ?? 0] ?? first;
  if (caller === undefined) throw new Error("no replica runs");
  return caller.ask(path, asked);
}

/** Begins a request whose answer the test reads itself. */
export function open(path: string, asked: Asked & { replica?: number } = {}): ReturnType<Caller["open"]> {
  const caller = replicas[asked.replica ?? 0] ?? first;
  if (caller === undefined) throw new Error("no replica runs");
  return caller.open(path, asked);
}

export interface Person {
  email: string;
  password: string;
  /** Of its personal team, as the account is shown. */
  team: string;
  namespace: string;
  token: string;
  /** The header of its session. */
  cookie: string;
}

const cookieOf = (answer: Answer): string =>
  answer.headers["set-cookie"]?.find((line) => line.startsWith(sessionCookie))?.split(";")[0] ?? "";

export const newEmail = (): string => `test-${randomBytes(6).toString("hex")}@example.com`;

/** Signs up, and mints a token. */
export async function signUp(email = newEmail()): Promise<Person> {
  const password = randomBytes(12).toString("base64url");
  const made = await api("/api/account", { body: { email, password } });
  if (made.status !== 201) throw new Error(`signing up: ${made.status} ${made.text}`);
  const cookie = cookieOf(made);
  const minted = await api("/api/tokens", {
    cookie,
    headers: { origin: provided.baseUrl },
    body: { name: "test" },
  });
  if (minted.status !== 201) throw new Error(`minting: ${minted.status} ${minted.text}`);
  const team = String(made.body.account.acting_team);
  return { email, password, team, namespace: `rowferry-${team}`, token: String(minted.body.token), cookie };
}

/** Another replica, with settings of its own, of a bundle (the first two are of the source); stopped at the file's end at the latest. */
export async function startReplica(
  env: Record<string, string> = {},
  built?: string,
): Promise<Started & { caller: Caller }> {
  const started = await startApi(provided, env, built ?? (await bundled("api")));
  const caller = createCaller(provided.folder, started.port);
  atFileEnd(async () => {
    caller.close();
    await started.stop("SIGKILL");
  });
  return { ...started, caller };
}

/** kubectl as cluster-admin. */
export async function kubectl(args: string[], input = ""): Promise<{ code: number; out: string; err: string }> {
  const { code, ...said } = await runProgram(
    provided.kubectlProgram,
    ["--kubeconfig", provided.adminKubeconfig, ...args],
    { input, env: { ...process.env, HOME: provided.folder } },
  );
  return { code: code ?? 1, ...said };
}
