// Pods of the small kubelet as real processes; the API server is a stand-in that can fail, wait and write down what it gets.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PodToRun } from "../../dev/cluster/processes/kubelet/objects.ts";
import { type PodHost, startPod } from "../../dev/cluster/processes/kubelet/pod.ts";
import { logOf, markOf, podFolder } from "../../dev/cluster/processes/kubelet/pod-folder.ts";

let folder: string;
/** The phases and reasons that were written, in order. */
let told: string[];
let secret: () => Promise<unknown>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-pod-"));
  told = [];
  secret = async () => ({ metadata: { name: "login" }, data: { password: Buffer.from("s3cret").toString("base64") } });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Status = { phase?: string; containerStatuses?: { state: { waiting?: { reason: string } } }[] };

const host = (imageOf = (): string | undefined => folder): PodHost => ({
  connection: {
    send: async ({ body }: { body?: { status?: Status } }) => {
      const status = body?.status;
      const reason = status?.containerStatuses?.[0]?.state.waiting?.reason;
      if (status !== undefined) told.push(`${status.phase}${reason === undefined ? "" : ` ${reason}`}`);
      return {};
    },
  } as never,
  client: { get: () => secret() } as never,
  server: "https://127.0.0.1:1",
  ca: "",
  pods: join(folder, "pods"),
  imageOf: () => imageOf(),
  node: process.execPath,
  account: {},
  log: () => {},
  changed: () => {},
});

const uid = "0123456789";

const pod = (command: string[]): PodToRun => ({
  metadata: { name: "one", namespace: "shop", uid },
  spec: {
    restartPolicy: "Never",
    containers: [
      {
        name: "main",
        image: "x",
        command,
        env: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "login", key: "password" } } }],
      },
    ],
  },
});

const said = (): string => {
  const file = logOf(join(folder, "pods"), uid);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

const failsTimes = (times: number) => {
  const well = secret;
  let left = times;
  return () => (left-- > 0 ? Promise.reject(new Error("connect ECONNREFUSED")) : well());
};

test.each([
  ["the API server fails twice", () => failsTimes(2), ["Pending ContainerCreating", "Pending CreateContainerError"]],
  [
    "the Secret is there later",
    () => {
      const well = secret;
      let asked = 0;
      return async () => (asked++ === 0 ? undefined : well());
    },
    ["Pending ContainerCreating", "Pending CreateContainerError"],
  ],
])("a pod starts although %s", async (_, make, first) => {
  secret = make();
  const running = startPod(pod(["sh", "-c", "echo $PASSWORD"]), host());
  await expect.poll(() => told.at(-1), { timeout: 10_000 }).toBe("Succeeded");
  expect(told.slice(0, 2)).toEqual(first);
  expect(said()).toBe("s3cret\n");
  await running.stop(0);
});

test("a pod starts when its image is loaded later", async () => {
  let image: string | undefined;
  const running = startPod(
    pod(["sh", "-c", "echo runs"]),
    host(() => image),
  );
  await expect.poll(() => told).toContain("Pending ErrImageNeverPull");
  image = folder;
  await expect.poll(() => told.at(-1), { timeout: 10_000 }).toBe("Succeeded");
  await running.stop(0);
});

test("a pod starts when its folder can be made later", async () => {
  const running = startPod(pod(["sh", "-c", "echo runs"]), { ...host(), pods: "/dev/null/pods" });
  await expect.poll(() => told).toContain("Pending CreateContainerError");
  await running.stop(0);
  expect(told).not.toContain("Running");
});

test("a pod's process is on the disk before it runs", async () => {
  const running = startPod(pod(["sh", "-c", 'echo $$; cat "$PWD/../mark.json"']), host());
  await expect.poll(() => told.at(-1)).toBe("Succeeded");
  const [pid, mark = ""] = said().split("\n");
  expect((JSON.parse(mark) as { pid: number }).pid).toBe(Number(pid));
  await running.stop(0);
});

test("a pod that is stopped while its container is prepared starts no process and leaves no folder", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const well = secret;
  secret = async () => {
    asked.resolve();
    await answer.promise;
    return well();
  };
  const marker = join(folder, "ran");
  const running = startPod(pod(["sh", "-c", `touch '${marker}'; exec sleep 600`]), host());
  await asked.promise;
  const stopped = running.stop(0);
  answer.resolve();
  await stopped;
  expect(existsSync(marker)).toBe(false);
  expect(readdirSync(join(folder, "pods"))).toEqual([]);
});

test("a pod whose mark cannot be written starts no process that nobody can end", async () => {
  const place = podFolder(join(folder, "pods"), uid);
  mkdirSync(join(place, "mark.json.part"), { recursive: true });
  const marker = join(folder, "ran");
  const running = startPod(pod(["sh", "-c", `touch '${marker}'; exec sleep 600`]), host());
  await expect.poll(() => told).toContain("Pending CreateContainerError");
  expect(existsSync(marker)).toBe(false);
  rmSync(join(place, "mark.json.part"), { recursive: true });
  await expect.poll(() => existsSync(marker), { timeout: 10_000 }).toBe(true);
  expect(markOf(place)).toBeDefined();
  await running.stop(0);
});
