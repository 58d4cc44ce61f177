// Runs Rowferry's engine as a process, timed from its start to its end, and measures its memory with its children's.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../dev/databases/index.ts";
import { pgTools } from "../dev/databases/pg-tools.ts";
import { bundleProgram } from "../dev/program.ts";
import type { CopyRequest, Endpoint } from "../src/engine/contract/index.ts";
import { runChild } from "./child.ts";
import { limitMs } from "./peers.ts";
import type { Said } from "./rowferry.ts";

export type Own = {
  /** Copies `src` to `dst`. Errors: the engine's, in its words. */
  run(source: Database, target: Database, jobs: number): Promise<{ ms: number; peakMib: number }>;
  close(): Promise<void>;
};

/** The peak of each process below `pid`, in KiB, added up. */
const childrenKib = async (pid: number): Promise<number> => {
  const ids = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "")).split(" ").filter(Boolean);
  const sizes = ids.map(async (id) => {
    const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) + (await childrenKib(Number(id)));
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

/** As the administrator. */
export const endpoint = (server: Database, database: string): Endpoint => {
  const url = new URL(server.adminUrl);
  return {
    engine: url.protocol.startsWith("postgres") ? "postgres" : "mysql",
    host: server.host,
    port: server.port,
    user: url.username,
    password: server.password,
    database,
    tls: { mode: "disable" },
  };
};

/**
 * Bundles the engine as the image does, so that reading TypeScript is not part of the time. `checkout`: the folder of
 * another revision with its packages; this one otherwise.
 */
export const openOwn = async (
  log: (text: string) => void,
  signal: AbortSignal,
  checkout = join(import.meta.dirname, ".."),
): Promise<Own> => {
  const program = await bundleProgram(join(checkout, "bench/rowferry.ts"));
  const tools = await pgTools();
  let turn = 0;
  return {
    run: async (source, target, jobs) => {
      const request: CopyRequest = {
        owner: `bench-${process.pid}-${++turn}`,
        ownerName: "the bench",
        source: endpoint(source, "src"),
        target: endpoint(target, "dst"),
        options: { jobs },
        reset: false,
      };
      let children = 0;
      const { output: answer, ms } = await runChild(
        process.execPath,
        [program.path],
        {
          input: JSON.stringify(request),
          env: { PATH: process.env["PATH"], ROWFERRY_PG_BIN: tools },
          log,
          signal,
          timeoutMs: limitMs,
        },
        (pid) => {
          const watch = setInterval(async () => {
            children = Math.max(children, await childrenKib(pid));
          }, 50);
          return () => clearInterval(watch);
        },
      );
      const said = JSON.parse(answer || '{"ok":false,"code":"","message":"it ended without a word"}') as Said;
      if (said.ok) return { ms, peakMib: (said.peakKib + children) / 1024 };
      throw new Error(`Rowferry: ${said.code}: ${said.message}`);
    },
    close: () => program.remove(),
  };
};
