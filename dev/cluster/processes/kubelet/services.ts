// Services on loopback: each node port, and each port that was settled beforehand, leads to a ready pod of its selector.
import { connect, createServer, type Server, type Socket } from "node:net";
import { listen } from "../../../../src/main/listen.ts";
import type { Service } from "./objects.ts";
import type { RunningPod } from "./pod.ts";

/** `<namespace>/<service>:<port>` → loopback port, for Services that are not of the type NodePort. */
export type SettledPorts = Record<string, number>;

export type Services = {
  /** A Service appeared, changed or went. */
  update(before: Service | undefined, after: Service | undefined): void;
  close(): Promise<void>;
};

const selects = (selector: Record<string, string>, { metadata }: RunningPod["pod"]): boolean =>
  Object.entries(selector).every(([name, value]) => metadata.labels?.[name] === value);

/** `pods`: those that run now. */
export function openServices(
  pods: () => Iterable<RunningPod>,
  { settled, nodePorts }: { settled: SettledPorts; nodePorts: Record<number, number> },
  log: (text: string) => void,
): Services {
  const open = new Map<number, { server: Server; sockets: Set<Socket>; service: Service; target: string | number }>();

  const backend = (port: number): number | undefined => {
    const { service, target } = open.get(port) ?? {};
    const selector = service?.spec.selector;
    if (service === undefined || selector === undefined || target === undefined) return undefined;
    for (const running of pods()) {
      if (running.pod.metadata.namespace !== service.metadata.namespace) continue;
      if (running.ready() && selects(selector, running.pod)) return running.portOf(target);
    }
    return undefined;
  };

  const start = (port: number, service: Service, target: string | number): void => {
    const sockets = new Set<Socket>();
    const server = createServer((outer) => {
      const to = backend(port);
      if (to === undefined) return outer.destroy();
      const inner = connect(to, "127.0.0.1");
      for (const [one, other] of [
        [outer, inner],
        [inner, outer],
      ] as const) {
        sockets.add(one);
        one.setNoDelay(true);
        one
          .on("error", () => other.destroy())
          .on("close", () => {
            sockets.delete(one);
            other.destroy();
          });
        one.pipe(other);
      }
    });
    open.set(port, { server, sockets, service, target });
    listen(server, "127.0.0.1", port).catch((error: Error) => log(`port ${port}: ${error.message}`));
  };

  const stop = async (port: number): Promise<void> => {
    const { server, sockets } = open.get(port) ?? {};
    open.delete(port);
    for (const socket of sockets ?? []) socket.destroy();
    await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  };

  return {
    update(before, after) {
      const wanted = new Map<number, string | number>();
      for (const { port, nodePort, targetPort = port } of after?.spec.ports ?? []) {
        const { namespace, name } = after?.metadata ?? {};
        for (const at of [nodePorts[nodePort ?? 0], settled[`${namespace}/${name}:${port}`]])
          if (at !== undefined) wanted.set(at, targetPort);
      }
      const uid = before?.metadata.uid;
      for (const [port, { service }] of open) if (service.metadata.uid === uid && !wanted.has(port)) void stop(port);
      for (const [port, target] of wanted) {
        const there = open.get(port);
        if (after === undefined) continue;
        if (there === undefined) start(port, after, target);
        else Object.assign(there, { service: after, target });
      }
    },
    async close() {
      await Promise.all([...open.keys()].map(stop));
    },
  };
}
