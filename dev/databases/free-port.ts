import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { failure } from "../terminal/failure.ts";

const lowest = 10_000;
/** From here on a cluster's Services of type NodePort. */
const nodePorts = 30_000;
const given = new Set<number>();

const kernelsFile = "/proc/sys/net/ipv4/ip_local_port_range";

/** From here on the kernel gives ports to whoever asks for any: to the connections and the servers of other tests. */
const kernels = (): number =>
  // Elsewhere than on Linux from 49152 on.
  existsSync(kernelsFile) ? Number(readFileSync(kernelsFile, "utf8").split(/\s/)[0]) : nodePorts;

/** Of this many random ports at least one is free on a machine that has any to spare. */
const draws = 2_000;

/**
 * A port of 127.0.0.1 where nothing listens, for a server that cannot choose one itself. It is none that the kernel may
 * give away until that server binds it, a second later perhaps, and no two calls of a process have the same.
 */
export async function freePort(): Promise<number> {
  const end = Math.min(nodePorts, kernels());
  // A machine whose kernel gives away every port leaves only the luck of the draw.
  const last = end > lowest ? end : nodePorts;
  let why: string | undefined;
  for (let draw = 0; draw < draws; draw++) {
    const port = randomInt(lowest, last);
    if (given.has(port)) continue;
    why = await refusal(port);
    if (why !== undefined) continue;
    given.add(port);
    return port;
  }
  throw failure(
    `No port of 127.0.0.1 from ${lowest} to ${last - 1} is free${why === undefined ? "" : ` (${why})`}.`,
    "See what listens there (`ss -ltnp`, on macOS `lsof -iTCP -sTCP:LISTEN`), end what you do not need, and run the command again.",
  );
}

/** Whether a server could listen on this port of 127.0.0.1 now. */
export const isFree = async (port: number): Promise<boolean> => (await refusal(port)) === undefined;

/** Why no server can listen there. */
async function refusal(port: number): Promise<string | undefined> {
  const server = createServer().listen(port, "127.0.0.1");
  const why = await once(server, "listening").then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (why === undefined) await once(server.close(), "close");
  return why;
}
