import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chosenSeed } from "../seed.ts";
import { loadTrial } from "./on-cluster.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";
import { trialImage } from "./trial-image.ts";

const name = "traces";
let box: Sandbox;

const footprint = async (): Promise<unknown> => JSON.parse(await box.node("test/dev/footprint.ts", [name]));
const up = (...args: string[]): Promise<string> => box.node("dev/up.ts", ["--name", name, ...args]);
const down = (): Promise<string> => box.node("dev/down.ts", ["--name", name]);
const kubectl = (...args: string[]): Promise<string> => box.node("dev/kubectl.ts", ["--name", name, ...args]);

const seeded = (): [number, () => number] => {
  const seed = chosenSeed();
  return [seed, randomFrom(seed)];
};

/** Small, quick and repeatable: mulberry32. */
const randomFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state += 0x6d2b79f5;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

beforeAll(async () => {
  box = await openSandbox();
}, 60_000);

afterAll(async () => {
  await box.node("dev/down.ts", ["--name", name]);
  await box.close();
}, 60_000);

describe("a local cluster", () => {
  test("leaves nothing behind after down, and a second down is fine", { timeout: 120_000 }, async () => {
    const before = await footprint();
    await up();
    await loadTrial(box, name);
    // A volume, a port and a service: mounts, address translation and control groups that have to go again.
    const overrides = JSON.stringify({
      spec: { volumes: [{ name: "v", emptyDir: { medium: "Memory" } }] },
    });
    const pod = ["run", "web", `--image=${trialImage}`, "--image-pull-policy=Never", "--port=80", "--expose"];
    await kubectl(...pod, `--overrides=${overrides}`, "--command", "--", "sleep", "600");
    await kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=60s");
    expect(await footprint()).not.toEqual(before);
    await down();
    expect(await footprint()).toEqual(before);
    expect(await down()).toContain("this clone has no cluster");
    expect(await footprint()).toEqual(before);
  });

  test("is found again, not started again, while it is well", { timeout: 120_000 }, async () => {
    await up();
    const node = await kubectl("get", "node", "node", "--output=jsonpath={.metadata.uid}");
    await up();
    expect(await kubectl("get", "node", "node", "--output=jsonpath={.metadata.uid}")).toBe(node);
  });

  test("is cleaned away by the next up when its processes were killed", { timeout: 120_000 }, async () => {
    await up();
    const old = await kubectl("get", "node", "node", "--output=jsonpath={.metadata.uid}");
    await box.run("sh", [
      "-c",
      "kill -KILL $(cat /proc/[0-9]*/task/*/children | tr ' ' '\\n' | sort -u | while read -r p; do tr '\\0' ' ' < /proc/$p/cmdline 2>/dev/null | grep -q '^unshare --net' && echo $p; done)",
    ]);
    expect(await up()).toContain("Remove the rest of an earlier run");
    expect(await kubectl("get", "node", "node", "--output=jsonpath={.metadata.uid}")).not.toBe(old);
    await down();
  });

  test("leaves nothing behind when up is interrupted at any point", { timeout: 240_000 }, async () => {
    const [seed, random] = seeded();
    const before = await footprint();
    for (let round = 1; round <= 6; round++) {
      const { child, ended } = box.start("node", ["dev/up.ts", "--name", name]);
      const point = Math.round(random() * 5_000);
      const early = await Promise.race([sleep(point), ended]);
      // It may be done before the point, but it may not have failed by itself.
      if (early !== undefined) expect(early.output).toContain("Kubernetes is up");
      // As a terminal does: every process of the command gets it.
      if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGINT");
      const { output } = await ended;
      if (output.includes("Kubernetes is up")) await down();
      expect(await footprint(), `seed ${seed}, round ${round}, after ${point} ms:\n${output}`).toEqual(before);
    }
  });

  test("leaves nothing that outlives the next up and down when up is killed at any point", {
    timeout: 240_000,
  }, async () => {
    const [seed, random] = seeded();
    const before = await footprint();
    for (let round = 1; round <= 3; round++) {
      const { child, ended } = box.start("node", ["dev/up.ts", "--name", name]);
      const point = Math.round(random() * 5_000);
      const early = await Promise.race([sleep(point), ended]);
      // It may be done before the point, but it may not have failed by itself.
      if (early !== undefined) expect(early.output).toContain("Kubernetes is up");
      if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
      const { output } = await ended;
      await up();
      expect(await kubectl("get", "nodes")).toContain(" Ready ");
      await down();
      expect(await footprint(), `seed ${seed}, round ${round}, after ${point} ms:\n${output}`).toEqual(before);
    }
  });
});
