import { type Client, connect, createClient } from "../../src/cluster/index.ts";
import type { PlaneClient } from "./control-plane.ts";
import { installAccount, installApiAccount } from "./operator.ts";

/** Clients with the rights of the operator and of the API, under the chart's admission policies. */
export interface InstalledClients {
  operator: Client;
  api: Client;
  close(): void;
}

export async function openClients(plane: PlaneClient, { backups = false } = {}): Promise<InstalledClients> {
  const operator = connect({ kubeconfig: await installAccount(plane, { backups }) });
  const api = connect({ kubeconfig: await installApiAccount(plane, { backups }) });
  return {
    operator: createClient(operator),
    api: createClient(api),
    close() {
      for (const connection of [operator, api]) connection.close();
    },
  };
}
