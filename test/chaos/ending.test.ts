import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { poolVariable } from "../servers/pool.ts";

const chaos = join(import.meta.dirname, "index.ts");
const kind = "MySQL, LOCK TABLES and XA";

test("a signal ends openings in the midst of a kind, and their servers with them", async () => {
  const words = ["openings", "--kind", kind, "--openings", "1000000"];
  const child = spawn(process.execPath, [chaos, ...words], {
    env: { ...process.env, [poolVariable]: undefined },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise((done) => child.once("close", done));
  let said = "";
  const isOpening = (async () => {
    for await (const line of createInterface(child.stderr)) {
      said += `${line}\n`;
      if (line.includes("openings")) return true;
    }
    return false;
  })();
  expect(await isOpening, said).toBe(true);
  const servers = descendants(child.pid ?? 0).filter((pid) => nameOf(pid) === "mysqld");
  expect(servers).toHaveLength(1);
  child.kill("SIGTERM");
  expect(await ended).toBe(143);
  expect(servers.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
});

test("what looks at no signal is ended all the same", async () => {
  const from = (file: string) => JSON.stringify(join(import.meta.dirname, file));
  const script = `import { runCommand } from ${from("../../dev/terminal/command.ts")};
    import { endInTime } from ${from("ending.ts")};
    await runCommand({ name: "trial", about: "" }, async ({ signal }) => {
      endInTime(signal, 100);
      console.log("ready");
      await new Promise((done) => setTimeout(done, 600_000));
    });`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  child.stdout.once("data", () => child.kill("SIGTERM"));
  expect(await new Promise((done) => child.once("close", done))).toBe(143);
});

function descendants(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

const nameOf = (pid: number): string => read(`/proc/${pid}/comm`).trim();

/** Empty where the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
