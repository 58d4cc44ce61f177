// Runs Rowferry's engine as a process, timed from its start to its end, and measures its memory with its children's.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Database } from "../dev/databases/index.ts";
import { pgTools } from "../dev/databases/pg-tools.ts";
import { bundleProgram } from "../dev/program.ts";
import type { CopyRequest, Endpoint } from "../src/engine/contract.ts";
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

const endpoint = (server: Database, database: string): Endpoint => {
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

/** Bundles the engine as the image does, so that reading TypeScript is not part of the time. */
export const openOwn = async (log: (text: string) => void, signal: AbortSignal): Promise<Own> => {
  const program = await bundleProgram(join(import.meta.dirname, "rowferry.ts"));
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
      const begun = performance.now();
      const child = spawn(process.execPath, [program.path], {
        stdio: ["pipe", "pipe", "pipe"],
        env: { PATH: process.env["PATH"], ROWFERRY_PG_BIN: tools },
        signal,
        killSignal: "SIGKILL",
        timeout: limitMs,
      });
      child.once("error", () => undefined);
      child.stderr.setEncoding("utf8").on("data", log);
      child.stdin.end(JSON.stringify(request));
      let children = 0;
      const watch = setInterval(async () => {
        children = Math.max(children, await childrenKib(child.pid ?? 0));
      }, 50);
      const [answer] = await Promise.all([text(child.stdout), once(child, "close")]);
      const ms = performance.now() - begun;
      clearInterval(watch);
      signal.throwIfAborted();
      const said = JSON.parse(answer || '{"ok":false,"code":"","message":"it ended without a word"}') as Said;
      if (said.ok) return { ms, peakMib: (said.peakKib + children) / 1024 };
      throw new Error(`Rowferry: ${said.code}: ${said.message}`);
    },
    close: () => program.remove(),
  };
};
