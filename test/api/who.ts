import { join } from "node:path";
import { bundled } from "../bundle.ts";
import { inherited } from "../environment.ts";
import { home } from "../operator/operator.ts";
import { type Ended, runProgram } from "../run-program.ts";
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
export const command = async (args: string[], input: string): Promise<Ended> =>
  runProgram(process.execPath, [join(await bundled("api"), "api.js"), ...args], {
    input,
    cwd: provided.folder,
    env: {
      ...inherited(),
      PATH: process.env.PATH ?? "",
      HOME: provided.folder,
      KUBECONFIG: provided.apiKubeconfig,
      ROWFERRY_NAMESPACE: home,
    },
  });
