import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { ended } from "../operator/control-plane.ts";
import { home } from "../operator/operator.ts";
import type { Answer } from "./http.ts";
import { api, provided } from "./world.ts";

/** What the tests of accounts and teams share. */

export const password = "correct horse battery";
export const origin = provided.baseUrl;

/** The header by which a browser shows the session that an answer opened. */
export const cookieOf = (answer: Answer): string => answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

export const signIn = (email: string, secret: string, replica = 0): Promise<Answer> =>
  api("/api/session", { body: { email, password: secret }, replica });

/** What each of the two replicas answers to a session. */
export const known = (cookie: string): Promise<number[]> =>
  Promise.all([0, 1].map(async (replica) => (await api("/api/account", { cookie, replica })).status));

/** The API's program with a verb, as `kubectl exec` runs it in a pod. */
export async function command(
  args: string[],
  input: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [new URL("../../src/main/api.ts", import.meta.url).pathname, ...args], {
    cwd: provided.folder,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: provided.folder,
      KUBECONFIG: provided.apiKubeconfig,
      ROWFERRY_NAMESPACE: home,
    },
  });
  // One that ends without reading it is judged by its exit code, not by the broken pipe.
  child.stdin.on("error", () => {}).end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended(child), out, err };
}
