import type { Engine } from "./server.ts";

/** What differs between images: how the server starts, where its data are, as whom it runs and when it is ready. */
export type Server = {
  account: number;
  container: {
    command?: string[];
    args?: string[];
    env: object[];
    volumeMounts: { name: string; mountPath: string }[];
  };
  ready: string[];
  readOnlyRoot: boolean;
};

export type ServerInput = { engine: Engine; database: string; password: object; hosts: string[]; args: string[] };
