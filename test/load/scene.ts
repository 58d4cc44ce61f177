import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { bundle } from "../../dev/build.ts";
import { freePort } from "../../dev/databases/free-port.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { openRedis, type Redis } from "../api/redis.ts";
import { mountSecret, type Place, type Started, startApi } from "../api/start.ts";
import { type ControlPlane, startControlPlane, until } from "../operator/control-plane.ts";
import {
  installAccount,
  installApiAccount,
  installCrds,
  type OperatorProcess,
  startOperator,
} from "../operator/operator.ts";
import type { Client } from "./mix.ts";
import { completedStatus, newMigration, newOwner, newReport, newToken, type Owner } from "./objects.ts";

/**
 * A control plane with many accounts and Migrations, Redis, and operator and API as the image runs them: the bundle, with the
 * chart's flags for Node and the chart's settings where they bear on load.
 */
export interface Scene {
  plane: ControlPlane;
  clients: Client[];
  operator: OperatorProcess;
  startReplica(): Promise<Started>;
  /** Bytes of the largest Migration's JSON. */
  largest: number;
  close(): Promise<void>;
}

export interface Size {
  accounts: number;
  migrations: number;
  /** Folder for a CPU profile of each replica that ends in order. */
  profile?: string;
}

/** Of each account, so many wait for a run; the others are completed. */
const waiting = 1;
/** Of each account, so many have a report. */
const reported = 2;

const chart = parse(readFileSync(new URL("../../charts/rowferry/values.yaml", import.meta.url), "utf8")) as Record<
  "api" | "operator",
  { command: string[] }
>;
/** Node's flags, as the chart gives them. */
export const flagsOf = (of: "api" | "operator"): string =>
  chart[of].command.filter((word) => word.startsWith("--")).join(" ");

/** Runs over all of them, so many at once. */
export async function each<T>(all: readonly T[], atOnce: number, run: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const one of rest) await run(one);
    }),
  );
}

async function makeOwner({ admin }: ControlPlane, owner: Owner): Promise<{ owner: Owner; token: string }> {
  const account = await admin.client.create(kinds.accounts, owner.account);
  await admin.client.create(kinds.teams, owner.team);
  const { token, plaintext } = newToken(account);
  await admin.client.create(kinds.tokens, token);
  return { owner, token: plaintext };
}

/** An account's Migrations, one after the other since each counts in one quota. */
async function makeMigrations(
  { admin }: ControlPlane,
  { namespace }: Owner,
  count: number,
): Promise<Omit<Client, "token" | "team"> & { largest: number }> {
  const [ids, waits, reports]: string[][] = [[], [], []];
  let largest = 0;
  for (let at = 0; at < count; at += 1) {
    // Where much is created at once, the API server's count of a quota may take longer than it waits for.
    const made = await until("a Migration to be made", () =>
      admin.client.create(kinds.migrations, newMigration(namespace)),
    );
    const { name } = made.metadata;
    ids?.push(name);
    if (at >= count - waiting) {
      waits?.push(name);
      continue;
    }
    const report = `${name}-report`;
    if (at < reported) {
      await admin.client.create(kinds.configMaps, newReport(made, report));
      reports?.push(name);
    }
    const whole = await admin.client.applyStatus<Migration>(
      kinds.migrations,
      { metadata: { name, namespace }, status: completedStatus(new Date(), report) },
      "load",
    );
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(whole)));
  }
  return { ids: ids ?? [], waits: waits ?? [], reports: reports ?? [], largest };
}

export async function openScene(size: Size, say: (line: string) => void): Promise<Scene> {
  const built = mkdtempSync(join(tmpdir(), "load-bundle-"));
  const open: { plane?: ControlPlane; redis?: Redis; operator?: OperatorProcess; replicas: Started[] } = {
    replicas: [],
  };
  const close = async () => {
    for (const replica of open.replicas) await replica.stop("SIGKILL");
    await open.operator?.stop("SIGKILL");
    await open.redis?.close();
    await open.plane?.stop();
    rmSync(built, { recursive: true, force: true });
  };
  try {
    await bundle(built);
    const plane = await startControlPlane({
      controllers: "serviceaccount-controller,namespace-controller,resourcequota-controller",
      auditLater: true,
    });
    open.plane = plane;
    await installCrds(plane);
    const [kubeconfig, apiKubeconfig] = [await installAccount(plane), await installApiAccount(plane)];
    const operator = () =>
      startOperator(
        plane,
        kubeconfig,
        "operator-0",
        {
          ROWFERRY_API_HOSTS: "localhost",
          ROWFERRY_PROBER_HOSTS: "localhost",
          // No node is there to run any: one waits for a node, the others in line.
          ROWFERRY_MAX_RUNNING: "1",
          NODE_ENV: "production",
          NODE_OPTIONS: flagsOf("operator"),
        },
        built,
      );
    open.operator = await operator();
    const owners = Array.from({ length: size.accounts }, (_, number) => newOwner(number));
    const made: { owner: Owner; token: string }[] = [];
    await each(owners, 8, async (owner) => void made.push(await makeOwner(plane, owner)));
    say(`${made.length} accounts with a team and a token each`);
    await until(
      "the operator to make the teams' namespaces",
      async () =>
        (await plane.admin.client.list(kinds.teams, {})).every(({ status }) => status?.namespace !== undefined),
      300_000,
    );
    // What a load's clients have is of old; the operator meets it whole, as after an upgrade.
    await open.operator.stop();
    const clients: Client[] = [];
    let largest = 0;
    await each(made, 16, async ({ owner, token }) => {
      const { largest: one, ...found } = await makeMigrations(plane, owner, size.migrations / size.accounts);
      largest = Math.max(largest, one);
      clients.push({ ...found, token, team: owner.team.metadata.name });
    });
    say(`${size.migrations} Migrations, the largest of ${largest} bytes`);
    open.operator = await operator();
    for (const name of [installed.apiTls, installed.apiKeys])
      await mountSecret(plane.admin.client, name, join(plane.folder, name));
    const redis = await openRedis();
    open.redis = redis;
    const place: Place = {
      folder: plane.folder,
      apiKubeconfig,
      baseUrl: `https://localhost:${await freePort()}`,
      // Nothing here asks a database.
      proberUrl: `https://localhost:${await freePort()}`,
    };
    return {
      plane,
      clients,
      operator: open.operator,
      largest,
      async startReplica() {
        const replica = await startApi(
          place,
          {
            NODE_ENV: "production",
            NODE_OPTIONS: `${flagsOf("api")}${size.profile === undefined ? "" : ` --cpu-prof --cpu-prof-dir=${size.profile}`}`,
            ROWFERRY_REDIS_URL: redis.url,
            ROWFERRY_DRAIN_SECONDS: "5",
            ROWFERRY_STREAM_RECHECK_SECONDS: "30",
            ROWFERRY_API_TLS_SECONDS: "10",
          },
          built,
        );
        open.replicas.push(replica);
        return replica;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
