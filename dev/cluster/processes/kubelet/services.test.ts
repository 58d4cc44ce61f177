import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { freePort, isFree } from "../../../databases/free-port.ts";
import type { PodToRun, Service } from "./objects.ts";
import type { RunningPod } from "./pod.ts";
import { openServices } from "./services.ts";

const ask = async (port: number): Promise<string> =>
  text(connect(port, "127.0.0.1")).catch((error: Error) => error.message);

/** A pod in `shop` whose port 8443, named `api`, is answered by `word`. */
async function podThatSays(word: string, labels: Record<string, string>) {
  const server = createServer((socket) => socket.end(word)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const pod: PodToRun = { metadata: { name: word, namespace: "shop", labels }, spec: { containers: [] } };
  const state = { ready: true };
  const running: RunningPod = {
    pod,
    ready: () => state.ready,
    portOf: (wanted) => (wanted === "api" || wanted === 8443 ? port : undefined),
    stop: async () => {},
  };
  return { running, state, close: () => server.close() };
}

const service = (more: Partial<Service["spec"]["ports"]> = []): Service => ({
  metadata: { name: "web", namespace: "shop", uid: "1" },
  spec: { selector: { app: "web" }, ports: [{ port: 443, nodePort: 30_443, targetPort: "api" }, ...(more as [])] },
});

test("a node port and a settled port lead to a ready pod of the selector, and to none without the Service", async () => {
  const [nodePort, settledPort] = [await freePort(), await freePort()];
  const other = await podThatSays("other", { app: "other" });
  const web = await podThatSays("web", { app: "web" });
  const pods = [other.running, web.running];
  const services = await openServices(() => pods, {
    settled: { "shop/web:8443": settledPort },
    nodePorts: { 30443: nodePort },
  });
  expect(await ask(nodePort), "before the Service").toBe("");
  const first = service([{ port: 8443, targetPort: 8443 }]);
  services.update(undefined, first);
  expect(await ask(nodePort)).toBe("web");
  expect(await ask(settledPort)).toBe("web");
  web.state.ready = false;
  expect(await ask(nodePort)).not.toBe("web");
  web.state.ready = true;
  const second = service();
  services.update(first, second);
  expect(await ask(settledPort)).toBe("");
  expect(await ask(nodePort)).toBe("web");
  services.update(second, undefined);
  expect(await ask(nodePort)).toBe("");
  await services.close();
  expect(await ask(nodePort)).toContain("ECONNREFUSED");
  for (const one of [other, web]) one.close();
});

test("a port that another program has is named, and the others are given back", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port: taken } = other.address() as AddressInfo;
  const free = await freePort();
  const opened = openServices(() => [], { settled: {}, nodePorts: { 30443: free, 30444: taken } });
  await expect(opened).rejects.toThrow(`node port 30444 needs port ${taken} of 127.0.0.1: listen EADDRINUSE`);
  expect(await isFree(free)).toBe(true);
  other.close();
});
