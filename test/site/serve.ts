import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import express from "express";
import { readPages } from "../../src/api/docs/pages.ts";
import { docsRoutes } from "../../src/api/docs/routes.ts";
import { createSite } from "../../src/api/docs/site.ts";
import { createFlight } from "../../src/api/flight.ts";

/** The documentation's own routes on a loopback port, without the rest of the service. */
export async function serveDocs() {
  const pages = readPages(join(import.meta.dirname, "../../docs"));
  const base = "http://127.0.0.1";
  const app = express();
  const flight = createFlight({ most: 1 << 26, mostOfOne: 1 << 26 });
  const limits = { spend: async () => ({ standings: [], giveBack: async () => undefined }) };
  app.use(docsRoutes(createSite(pages, base), flight, limits));
  const server = createServer(app);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${base}:${port}`,
    names: pages.sections.flatMap((section) => section.pages.map(({ name }) => name)),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
