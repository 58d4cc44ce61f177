import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notReal } from "../../dev/cluster/processes/index.ts";
import { shop } from "../../dev/demo/shop.ts";
import { type OrdinaryAccount, openOrdinaryAccount } from "./ordinary-account.ts";

let account: OrdinaryAccount;
let before: string[];
let memory: string[];

beforeAll(async () => {
  account = await openOrdinaryAccount();
  before = await account.processes();
  memory = sharedMemory();
});

afterAll(() => account.close());

/** What PostgreSQL has of it outside its folder, POSIX's and System V's: the kernel ends neither with a process. */
const sharedMemory = (): string[] => [
  ...readdirSync("/dev/shm").filter((name) => name.startsWith("PostgreSQL.")),
  ...readFileSync("/proc/sysvipc/shm", "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/).slice(0, 2).join(" ")),
];

const left = async (): Promise<{ processes: string[]; files: string }> => ({
  processes: await account.processes(),
  files: (await account.run("sh", "-c", `ls ${account.home}/.cache/rowferry/clusters ${account.home}/tmp`)).output,
});

const nothing = () => ({
  processes: before,
  files: `${account.home}/.cache/rowferry/clusters:\n\n${account.home}/tmp:\n`,
});

test("without root and without Docker the demo runs as processes of the account, every table is equal, and nothing is left", async () => {
  const { code, output } = await account.run("npm", "run", "demo", "--", "--once");
  expect(code, output).toBe(0);
  expect(output).toContain(notReal);
  expect(output).toContain("Start Kubernetes as processes");
  // By REST and by kubectl.
  expect(output.match(/[0-9a-f]{16} +equal\s*$/gm)).toHaveLength(2 * shop.length);
  expect(output).not.toContain("DIFFERENT");
  expect(await left()).toEqual(nothing());
  // What another run left may be gone: a server takes over what has its key.
  expect(sharedMemory().filter((one) => !memory.includes(one))).toEqual([]);
});

test("a cluster of processes outlives its command, is found again, and goes with `npm run down`", async () => {
  const up = () => account.run("npm", "run", "up", "--", "--processes", "--name", "kept");
  const first = await up();
  expect(first.code, first.output).toBe(0);
  expect((await account.run("npm", "run", "kubectl", "--", "--name", "kept", "get", "nodes")).output).toContain(
    "Ready",
  );
  const again = await up();
  expect(again.code, again.output).toBe(0);
  expect(again.output).not.toContain("Start Kubernetes");

  // A part that was killed is noticed: the cluster is made anew.
  const kill =
    'for one in /proc/[0-9]*; do case "$(tr "\\0" " " < $one/cmdline)" in */etc[d]*) kill -9 $(basename $one);; esac; done';
  await account.run("sh", "-c", kill);
  const anew = await up();
  expect(anew.code, anew.output).toBe(0);
  expect(anew.output).toContain("Start Kubernetes");

  const down = await account.run("npm", "run", "down", "--", "--name", "kept");
  expect(down.code, down.output).toBe(0);
  expect(await left()).toEqual(nothing());
});
