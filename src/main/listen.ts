import type { AddressInfo, Server } from "node:net";

/** Listens, and answers the port: a free one for 0. Errors: those of the system, such as EADDRINUSE. */
export const listen = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
