import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@redis/client";
import { freePort } from "../../dev/databases/free-port.ts";
import { rootFileSystem } from "../../dev/image/root.ts";
import { rootProgram } from "../../dev/image/root-program.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { until } from "../operator/control-plane.ts";

/** A real Redis on a free loopback port, which a test can stop, kill and start again; its data stay from one start to the next. */
export interface Redis {
  url: string;
  start(): Promise<void>;
  /** Ends in order, its data on disk. */
  stop(): Promise<void>;
  /** Leaves it there without an answer, as a network that is cut does. */
  freeze(): void;
  thaw(): void;
  keys(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openRedis(): Promise<Redis> {
  const terminal = openTerminal({ name: "redis-test" });
  const root = await rootFileSystem("redis", terminal);
  terminal.close();
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ReturnType<typeof spawn> | undefined;
  const kill = () => child?.kill("SIGKILL");
  process.once("exit", kill);

  const newClient = () => createClient({ url, socket: { reconnectStrategy: false } });
  async function withClient<T>(run: (client: ReturnType<typeof newClient>) => Promise<T>): Promise<T> {
    const client = newClient();
    client.on("error", () => {});
    await client.connect();
    try {
      return await run(client);
    } finally {
      client.destroy();
    }
  }

  async function start(): Promise<void> {
    const [command, ...args] = rootProgram(root, "usr/bin/redis-server");
    const started = spawn(
      command,
      [
        ...args,
        ...["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--appendonly", "yes", "--save", ""],
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    child = started;
    let said = "";
    for (const stream of [started.stdout, started.stderr])
      stream?.on("data", (data) => {
        said += data;
      });
    await until("Redis to answer", async () => {
      if (started.exitCode !== null) throw new Error(`Redis ended: ${said}`);
      return (await withClient((client) => client.ping())) === "PONG";
    });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined) return;
    const gone = child;
    child = undefined;
    if (gone.exitCode !== null || gone.signalCode !== null) return;
    const exited = once(gone, "exit");
    gone.kill(signal);
    await exited;
  }

  await start();
  return {
    url,
    start,
    stop: () => end("SIGTERM"),
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    keys: () => withClient((client) => client.keys("*")),
    async close() {
      process.removeListener("exit", kill);
      await end("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
