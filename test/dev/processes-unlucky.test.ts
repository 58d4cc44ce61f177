// The processes way as an account without rights on an unlucky machine: a full disk, killed commands, two at once, no ports.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chosenSeed } from "../seed.ts";
import { type OrdinaryAccount, openOrdinaryAccount } from "./ordinary-account.ts";
import type { Ended } from "./sandbox.ts";

let account: OrdinaryAccount;
let before: string[];
let clusters: string;

const root = async (words: string): Promise<void> => {
  const { code, output } = await account.box.run("sh", ["-c", words]);
  if (code !== 0) throw new Error(`${words}: ${output}`);
};
const up = (): Promise<Ended> => account.run("npm", "run", "up", "--", "--processes");
const down = (): Promise<Ended> => account.run("npm", "run", "down");
const left = async () => ({
  processes: await account.processes(),
  files: (await account.run("ls", "-A", clusters, `${account.home}/tmp`)).output,
});
const nothing = () => ({ processes: before, files: `${clusters}:\n\n${account.home}/tmp:\n` });

/** The clusters' folders are on a disk of their own. */
const resize = (size: string): Promise<void> => root(`mount -o remount,size=${size} ${clusters}`);

beforeAll(async () => {
  account = await openOrdinaryAccount();
  clusters = `${account.home}/.cache/rowferry/clusters`;
  before = await account.processes();
  await root(`mkdir -p ${clusters}; mount -t tmpfs -o mode=700 tmpfs ${clusters}; chown nobody ${clusters}`);
});

afterAll(() => account.close());

test.each(["4k", "24k", "100m"])("a disk of %s ends the start with the cause and the next step", async (size) => {
  await resize(size);
  const { code, output } = await up();
  expect(code).toBe(1);
  expect(output).toMatch(/^✗ up: (ENOSPC: no space left on device|The disk of .* MiB free; a cluster needs)/m);
  expect(output.trim().split("\n").at(-1)).toMatch(/^ {2}next: Free space/);
  expect(await left()).toEqual(nothing());
  await resize("2g");
});

test("two starts at once make one cluster, and it goes when the disk is full", async () => {
  const both = await Promise.all([up(), up()]);
  for (const { code, output } of both) expect(code, output).toBe(0);
  expect(both.filter(({ output }) => output.includes("✓ Start Kubernetes"))).toHaveLength(1);
  await account.run("sh", "-c", `cat /dev/zero > ${clusters}/filler; true`);
  const ended = await Promise.all([down(), down()]);
  for (const { code, output } of ended) expect(code, output).toBe(0);
  await account.run("rm", `${clusters}/filler`);
  expect(await left()).toEqual(nothing());
});

test("where no port is free a start ends with the reason, and leaves nothing", async () => {
  const range = "/proc/sys/net/ipv4/ip_local_port_range";
  await root(`echo 10020 60999 > ${range}`);
  const words = `for (let port = 10_000; port < 10_020; port++) require("net").createServer().listen(port, "127.0.0.1");
    console.log("taken"); setTimeout(() => process.exit(), 20_000);`;
  const { child, ended } = account.box.start("node", ["-e", words]);
  await new Promise((done) => child.stdout?.once("data", done));
  const { code, output } = await up();
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await ended;
  await root(`echo 32768 60999 > ${range}`);
  expect(code).toBe(1);
  expect(output).toContain("✗ up: No port of 127.0.0.1 from 10000 to 10019 is free");
  expect(await left()).toEqual(nothing());
});

test("a start that is killed at any point leaves nothing that `npm run down` does not remove", async () => {
  const seed = chosenSeed();
  for (let round = 0; round < 5; round++) {
    const point = 500 + ((seed + round * 1_231) % 5_000);
    const { child, ended } = account.start("npm", "run", "up", "--", "--processes");
    await Promise.race([sleep(point), ended]);
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
    const { output } = await ended;
    const removed = await down();
    expect(removed.code, removed.output).toBe(0);
    expect(await left(), `seed ${seed}, round ${round}, after ${point} ms: ${output}`).toEqual(nothing());
  }
});
