import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createHealthServer, silentCaches } from "./health.ts";

test.each([
  ["all did something lately", { jobs: 900, pods: 950 }, 1000, []],
  ["one stopped", { jobs: 100, pods: 950 }, 1000, ["jobs"]],
  ["none did anything yet, shortly after the start", { jobs: 0, pods: 0 }, 400, []],
  ["none ever did", { jobs: 0, pods: 0 }, 1000, ["jobs", "pods"]],
])("%s", (_what, heard, now, silent) => {
  expect(silentCaches(heard, 0, now, 500)).toEqual(silent);
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

test("healthz turns bad when a cache stops, and good again; readyz and metrics answer", async () => {
  let time = 0;
  let ready = false;
  let turned = 0;
  const server = createHealthServer({
    turned: () => ({ jobs: turned }),
    now: () => time,
    silence: 100,
    ready: () => ready,
    metrics: () => [{ name: "x_total", help: "Counts x.", type: "counter", value: 3 }],
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  expect((await get("/healthz")).status).toBe(200);
  expect((await get("/readyz")).status).toBe(503);
  ready = true;
  expect((await get("/readyz")).status).toBe(200);
  time = 101;
  expect(await get("/healthz")).toEqual({ status: 503, text: "did nothing for too long: jobs\n" });
  turned = 50;
  expect((await get("/healthz")).status).toBe(200);
  expect((await get("/metrics")).text).toBe("# HELP x_total Counts x.\n# TYPE x_total counter\nx_total 3\n");
  expect((await get("/secrets")).status).toBe(404);
});
