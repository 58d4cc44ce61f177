import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

const lowest = 10_000;
/** From here on a cluster's Services of type NodePort. */
const nodePorts = 30_000;
const given = new Set<number>();

const kernelsFile = "/proc/sys/net/ipv4/ip_local_port_range";

/** From here on the kernel gives ports to whoever asks for any: to the connections and the servers of other tests. */
const kernels = (): number =>
  // Elsewhere than on Linux from 49152 on.
  existsSync(kernelsFile) ? Number(readFileSync(kernelsFile, "utf8").split(/\s/)[0]) : nodePorts;

/**
 * A port of 127.0.0.1 where nothing listens, for a server that cannot choose one itself. It is none that the kernel may
 * give away until that server binds it, a second later perhaps, and no two calls of a process have the same.
 */
export async function freePort(): Promise<number> {
  const end = Math.min(nodePorts, kernels());
  for (;;) {
    // A machine whose kernel gives away every port leaves only the luck of the draw.
    const port = randomInt(lowest, end > lowest ? end : nodePorts);
    if (given.has(port) || !(await bindable(port))) continue;
    given.add(port);
    return port;
  }
}

async function bindable(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (free) await once(server.close(), "close");
  return free;
}
