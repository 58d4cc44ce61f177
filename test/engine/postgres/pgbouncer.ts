import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../../../dev/databases/free-port.ts";
import { rootFileSystem } from "../../../dev/image/root.ts";
import { rootProgram } from "../../../dev/image/root-program.ts";
import { openTerminal } from "../../../dev/terminal/index.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { until } from "../../operator/control-plane.ts";

/** A real PgBouncer before a server, on a free loopback port. */
export interface Pooler {
  port: number;
  stop(): Promise<void>;
}

export type PoolMode = "session" | "transaction" | "statement";

/** `server`: with the user's password. It runs as nobody, since it refuses to run as root. */
export async function startPooler(server: Endpoint, mode: PoolMode): Promise<Pooler> {
  const terminal = openTerminal({ name: "pooler-test" });
  const root = await rootFileSystem("pgbouncer", terminal);
  terminal.close();
  const folder = mkdtempSync(join(tmpdir(), "pool-"));
  const port = await freePort();
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const [users, settings] = [join(folder, "users"), join(folder, "settings")];
  writeFileSync(users, `${quoted(server.user)} ${quoted(server.password)}\n`);
  writeFileSync(
    settings,
    [
      "[databases]",
      `* = host=${server.host} port=${server.port}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = scram-sha-256\nauth_file = ${users}\npool_mode = ${mode}`,
    ].join("\n"),
  );
  for (const file of [folder, users, settings]) chmodSync(file, file === folder ? 0o755 : 0o644);
  const [command, ...args] = rootProgram(root, "usr/sbin/pgbouncer");
  const child = spawn(command, [...args, "-u", "nobody", settings], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => {
    said += data;
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  await until("PgBouncer to answer", async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said}`);
    const { user, password, database } = server;
    const client = new pg.Client({ host: "127.0.0.1", port, user, password, database });
    client.on("error", () => undefined);
    await client.connect();
    await client.end();
    return true;
  });
  return {
    port,
    async stop() {
      process.removeListener("exit", kill);
      const exited = once(child, "exit");
      kill();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
