import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { inject } from "vitest";
import { type Client, connect, createClient } from "../../src/cluster/index.ts";
import type { Migration, MigrationSpecInput, MigrationState } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { patience } from "../patience.ts";

const run = promisify(execFile);

/** Runs kubectl against the test cluster; rejects with its words. */
export async function kubectl(args: string[], input?: unknown): Promise<string> {
  const { kubectl: program, kubeconfig } = inject("cluster");
  const child = run(program, ["--kubeconfig", kubeconfig, ...args], { maxBuffer: 64 << 20 });
  // One that ends without reading it is judged by its exit code, not by the broken pipe.
  child.child.stdin?.on("error", () => {});
  child.child.stdin?.end(input === undefined ? undefined : typeof input === "string" ? input : JSON.stringify(input));
  return (await child).stdout;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests look into any kind of object
export type Json = any;

export const get = async (kind: string, namespace: string, ...rest: string[]): Promise<Json> =>
  JSON.parse(await kubectl(["get", kind, "-n", namespace, ...rest, "-o", "json"]));

export const apply = (object: unknown): Promise<string> => kubectl(["apply", "-f", "-"], object);

/** Polls until the condition gives something; the error says what was seen last. */
export async function until<T>(what: string, probe: () => Promise<T | undefined | false>, seconds = 60): Promise<T> {
  const deadline = Date.now() + patience(seconds * 1000);
  let last: unknown;
  for (;;) {
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s for: ${what}`, { cause: last });
    await delay(100);
  }
}

export async function applyMigration(namespace: string, name: string, spec: MigrationSpecInput): Promise<void> {
  await apply({ apiVersion: "rowferry.dev/v1alpha1", kind: "Migration", metadata: { name, namespace }, spec });
}

let known: Client | undefined;

/** For what is asked again and again: kubectl costs a tenth of a second of a core each time. */
export const client = (): Client => {
  known ??= createClient(connect({ kubeconfig: inject("cluster").kubeconfig }));
  return known;
};

export async function getMigration(namespace: string, name: string): Promise<Migration> {
  const found = await client().get(kinds.migrations, namespace, name);
  if (found === undefined) throw new Error(`there is no Migration ${name} in ${namespace}`);
  return found;
}

/** Waits for a state; fails at once, with the Migration's last log entry, when another final state is reached. */
export async function untilState(
  namespace: string,
  name: string,
  state: MigrationState,
  seconds = 120,
): Promise<Migration> {
  let seen: Migration | undefined;
  const found = await until(
    `${name} ${state}`,
    async () => {
      seen = await getMigration(namespace, name);
      if (seen.status?.observedGeneration !== seen.metadata.generation) return undefined;
      return seen.status?.state === state || ["completed", "failed"].includes(seen.status?.state ?? "")
        ? seen
        : undefined;
    },
    seconds,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; last seen: ${JSON.stringify(seen?.status, null, 1)}`);
  });
  if (found.status?.state !== state)
    throw new Error(`${name} is ${found.status?.state}: ${JSON.stringify(found.status, null, 1)}`);
  return found;
}

export const condition = (migration: Migration, type: string) =>
  migration.status?.conditions?.find((one) => one.type === type);

declare module "vitest" {
  interface ProvidedContext {
    cluster: {
      kubeconfig: string;
      kubectl: string;
      name: string;
      /** Image references by what they hold. */
      images: { app: string; mysql: string; mariadb: string; postgres: string; postgresOld: string };
      /** Namespace of the operator. */
      system: string;
      /** Where this machine reaches the API. */
      api: { baseUrl: string; ca: string };
    };
  }
}
