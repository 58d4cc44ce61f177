import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { freePort } from "../../../databases/free-port.ts";
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

test("a node port and a settled port lead to a ready pod of the selector, and close with the Service", async () => {
  const [nodePort, settledPort] = [await freePort(), await freePort()];
  const other = await podThatSays("other", { app: "other" });
  const web = await podThatSays("web", { app: "web" });
  const pods = [other.running, web.running];
  const services = openServices(
    () => pods,
    { settled: { "shop/web:8443": settledPort }, nodePorts: { 30443: nodePort } },
    () => {},
  );
  const first = service([{ port: 8443, targetPort: 8443 }]);
  services.update(undefined, first);
  await expect.poll(() => ask(nodePort)).toBe("web");
  expect(await ask(settledPort)).toBe("web");
  web.state.ready = false;
  expect(await ask(nodePort)).not.toBe("web");
  web.state.ready = true;
  const second = service();
  services.update(first, second);
  await expect.poll(() => ask(settledPort)).toContain("ECONNREFUSED");
  expect(await ask(nodePort)).toBe("web");
  services.update(second, undefined);
  await expect.poll(() => ask(nodePort)).toContain("ECONNREFUSED");
  await services.close();
  for (const one of [other, web]) one.close();
});
