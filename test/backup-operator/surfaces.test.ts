import { execFile } from "node:child_process";
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import { commandsOf } from "../backup/page.ts";
import { until } from "../operator/control-plane.ts";
import { borrowDatabase } from "../servers/index.ts";
import { database, fingerprint, type Where } from "../support/engine/postgres-support.ts";
import { objectsIn } from "./bucket.ts";
import { byMcp, byRest, type Service, startService } from "./surfaces-play.ts";

/**
 * The interface's sentences on backups by both surfaces, on the complete service: what a person asks for is taken by a real worker from a
 * real database into a real bucket, and restored from there.
 */

let service: Service;
let old: Database;
let newer: Database;
let source: Where;
const planted = "pl4nted-passw0rd";
/** Milliseconds for one run or restore. */
const patience = 150_000;
/** With what the workers wrote. */
const explained = (error: unknown): never => {
  const said = [...service.node.output].map(([pod, text]) => `${pod}:\n${text.slice(-2000)}`).join("\n");
  throw new Error(`${error instanceof Error ? error.message : error}\n${said}`, { cause: error });
};

beforeAll(async () => {
  [service, old, newer] = await Promise.all([
    startService(),
    borrowDatabase("postgres-old"),
    borrowDatabase("postgres"),
  ]);
  source = await database(
    old,
    `CREATE TABLE orders (id int PRIMARY KEY, note text);
     INSERT INTO orders SELECT i, md5(i::text) FROM generate_series(1, 500) i;
     CREATE ROLE surfaces LOGIN PASSWORD '${planted}'; GRANT pg_read_all_data TO surfaces`,
  );
});
afterAll(async () => {
  await service?.stop();
  await old?.stop();
  await newer?.stop();
});

const sourceUrl = () => {
  const url = new URL(old.urlOf(source.database));
  url.username = "surfaces";
  url.password = planted;
  return url.href;
};
/** Verifications need a node that runs containers. */
const spec = () => ({ database_url: sourceUrl(), verification: { policy: "never" } });

/** What `kubectl get -o yaml` and etcd would show of all backups. */
const objects = async () =>
  (await service.installation.plane.kubectl(["get", "backupschedules,backupruns,restores", "-A", "-o", "json"])).out;

describe.each([
  ["REST", byRest],
  ["MCP", byMcp],
] as const)("by %s", (_name, open) => {
  test("a schedule of a database is made and listed, run at once, and its completed run is restored on another server, free", async () => {
    const { token } = await service.signUp();
    const surface = await open(service, token);
    const id = await surface.create(spec());
    expect(await surface.schedules()).toEqual([id]);
    const run = await surface.runNow(id);
    const target = await database(newer);
    const targetUrl = newer.urlOf(target.database, "admin");
    // The service may have completed it by now: then there is nothing to refuse.
    const early = await surface.restore(id, run, targetUrl).catch((error: Error) => error.message);
    if (early !== "state_conflict") expect((await surface.runs(id))[0]?.status).toBe("completed");
    const done = await until(
      "a run that ended",
      async () => (await surface.runs(id)).find(({ status }) => status === "completed" || status === "failed"),
      patience,
    ).catch(explained);
    expect(done).toMatchObject({ id: run, status: "completed", rows: 500 });
    expect((await objectsIn(service.s3, "")).some((name) => name.endsWith("/manifest.json.zst.age"))).toBe(true);

    const restore = early === "state_conflict" ? await surface.restore(id, run, targetUrl) : early;
    const restored = await until(
      "a restore that ended",
      async () => {
        const found = await surface.restored(id, restore);
        return found?.status === "completed" || found?.status === "failed" ? found : undefined;
      },
      patience,
    );
    expect(restored).toMatchObject({ status: "completed" });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));

    const heard = surface.heard.join("\n");
    expect(heard).not.toContain(planted);
    expect(heard).not.toMatch(/postgres(ql)?:\/\//);
    expect(heard).not.toMatch(/checkout_url|"amount"/);
    const stored = await objects();
    expect(stored).toContain("sealedUrl");
    expect(stored).not.toContain(planted);
    await surface.close();
  });

  test("a token that is missing, wrong or revoked opens nothing", async () => {
    const { token } = await service.signUp();
    for (const wrong of ["", "1|rfy_wrong"])
      await expect(open(service, wrong).then((surface) => surface.schedules())).rejects.toThrow(/unauthenticated/);
    const surface = await open(service, token);
    expect(await surface.schedules()).toEqual([]);
    const [digits] = token.split("|");
    expect((await service.ask(`/api/tokens/${digits}`, { method: "DELETE", token })).status).toBe(200);
    await expect(surface.schedules()).rejects.toThrow(/unauthenticated/);
    await expect(surface.create(spec())).rejects.toThrow(/unauthenticated/);
    await surface.close().catch(() => undefined);
  });

  test("a schedule is its team's alone: refused while another team acts, there again after a switch", async () => {
    const [owner, stranger] = [await service.signUp(), await service.signUp()];
    const surface = await open(service, owner.token);
    const id = await surface.create({ ...spec(), suspend: true });
    const theirs = await open(service, stranger.token);
    await expect(theirs.runNow(id)).rejects.toThrow("other_team");
    await expect(theirs.runs(id)).rejects.toThrow("other_team");
    expect(await theirs.schedules()).toEqual([]);
    const { token } = owner;
    const made = await service.ask("/api/teams", { token, body: { name: "Platform" } });
    expect(made.status, made.text).toBe(201);
    const switchTo = async (team: string) =>
      expect((await service.ask(`/api/teams/${team}/switch`, { method: "POST", token })).status).toBe(200);
    await switchTo(made.body.team.id);
    await expect(surface.runs(id)).rejects.toThrow("other_team");
    expect(await surface.schedules()).toEqual([]);
    await switchTo(owner.team);
    expect(await surface.schedules()).toEqual([id]);
    expect(await surface.runs(id)).toEqual([]);
    for (const one of [surface, theirs]) await one.close();
  });
});

test("a backup of the key ring is restored by hand, with the key from the cluster's Secret, as the page says", async () => {
  const { s3, installation, signUp } = service;
  const { plane } = installation;
  const surface = await byRest(service, (await signUp()).token);
  const id = await surface.create(spec());
  const name = await surface.runNow(id);
  const run = await until(
    "a completed run",
    async () => {
      const { out } = await plane.kubectl(["get", "backupruns", "-A", "-o", "json"]);
      const found = (JSON.parse(out) as { items: BackupRun[] }).items.find(({ metadata }) => metadata.name === name);
      return found?.status?.state === "completed" ? found : undefined;
    },
    patience,
  );
  const { namespace } = run.metadata;
  const { location = "" } = run.status ?? {};
  expect(location.split("/")[0]).toBe(namespace);

  const folder = mkdtempSync(join(tmpdir(), "by-hand-"));
  cpSync(join(s3.folder, s3.bucket, ...location.split("/")), join(folder, "run"), { recursive: true });
  const target = await database(newer);
  const url = new URL(newer.urlOf(target.database, "admin"));
  const headings = ["Get the key from the key ring", "Check the files", "PostgreSQL"];
  const script = headings.map(commandsOf).join("\n").replaceAll("team-a", namespace);
  const { stdout } = await promisify(execFile)("bash", ["-c", script.replaceAll(/\bshop\b/g, target.database)], {
    cwd: folder,
    env: {
      PATH: [dirname(plane.kubectlProgram), await pgTools(), process.env["PATH"]].join(":"),
      ...{ HOME: folder, KUBECONFIG: plane.admin.kubeconfig },
      ...{ PGHOST: url.hostname, PGPORT: url.port, PGUSER: url.username, PGPASSWORD: decodeURIComponent(url.password) },
    },
  });
  expect(stdout).toContain("run/database.dump.zst.age: OK");
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
});
