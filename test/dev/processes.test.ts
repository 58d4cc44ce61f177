import { afterAll, beforeAll, expect, test } from "vitest";
import { notReal } from "../../dev/cluster/processes/index.ts";
import { shop } from "../../dev/demo/shop.ts";
import { type OrdinaryAccount, openOrdinaryAccount } from "./ordinary-account.ts";

let account: OrdinaryAccount;
let before: string[];

beforeAll(async () => {
  account = await openOrdinaryAccount();
  before = await account.processes();
});

afterAll(() => account.close());

/** Shared memory that PostgreSQL has outside its folder, POSIX's and System V's: the kernel ends neither with a process. */
const memory = async (): Promise<string> =>
  (await account.run("sh", "-c", "ls /dev/shm; tail -n +2 /proc/sysvipc/shm")).output;

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
  expect(await memory()).toBe("");
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
