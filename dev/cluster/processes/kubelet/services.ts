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

type Port = {
  server: Server;
  sockets: Set<Socket>;
  /** The Service whose pods answer there, and its target port; absent: connections are closed. */
  leads?: { service: Service; target: string | number };
};

/**
 * Binds every port at once, so that no other program can take one before its Service appears. `pods`: those that run
 * now. Rejects with the name of a port that cannot be bound.
 */
export async function openServices(
  pods: () => Iterable<RunningPod>,
  { settled, nodePorts }: { settled: SettledPorts; nodePorts: Record<number, number> },
): Promise<Services> {
  const open = new Map<number, Port>();

  const backend = ({ leads }: Port): number | undefined => {
    const selector = leads?.service.spec.selector;
    if (leads === undefined || selector === undefined) return undefined;
    for (const running of pods()) {
      if (running.pod.metadata.namespace !== leads.service.metadata.namespace) continue;
      if (running.ready() && selects(selector, running.pod)) return running.portOf(leads.target);
    }
    return undefined;
  };

  const bind = async (name: string, port: number): Promise<void> => {
    const sockets = new Set<Socket>();
    const server = createServer((outer) => {
      const to = backend(one);
      if (to === undefined) return outer.destroy();
      const inner = connect(to, "127.0.0.1");
      for (const [here, there] of [
        [outer, inner],
        [inner, outer],
      ] as const) {
        sockets.add(here);
        here.setNoDelay(true);
        here
          .on("error", () => there.destroy())
          .on("close", () => {
            sockets.delete(here);
            there.destroy();
          });
        here.pipe(there);
      }
    });
    const one: Port = { server, sockets };
    await listen(server, "127.0.0.1", port).catch((error: Error) => {
      throw new Error(`${name} needs port ${port} of 127.0.0.1: ${error.message}`, { cause: error });
    });
    open.set(port, one);
  };

  const close = async (): Promise<void> => {
    const servers = [...open.values()].map(({ server, sockets }) => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(done));
    });
    await Promise.all(servers);
  };

  const wanted = [
    ...Object.entries(nodePorts).map(([name, port]) => [`node port ${name}`, port] as const),
    ...Object.entries(settled).map(([name, port]) => [`Service ${name}`, port] as const),
  ];
  try {
    for (const [name, port] of wanted) await bind(name, port);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    update(before, after) {
      const targets = new Map<number, string | number>();
      for (const { port, nodePort, targetPort = port } of after?.spec.ports ?? []) {
        const { namespace, name } = after?.metadata ?? {};
        for (const at of [nodePorts[nodePort ?? 0], settled[`${namespace}/${name}:${port}`]])
          if (at !== undefined) targets.set(at, targetPort);
      }
      const uid = before?.metadata.uid;
      for (const [port, one] of open) {
        const target = targets.get(port);
        if (after !== undefined && target !== undefined) one.leads = { service: after, target };
        else if (one.leads !== undefined && one.leads.service.metadata.uid === uid) {
          delete one.leads;
          for (const socket of one.sockets) socket.destroy();
        }
      }
    },
    close,
  };
}
