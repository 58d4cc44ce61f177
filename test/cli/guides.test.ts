import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CopyReport } from "../../src/engine/contract.ts";
import { inherited } from "../environment.ts";
import { entry } from "./process.ts";
import { type Fresh, type Servers, startServers } from "./servers.ts";

/** The commands of the guides in docs, as their readers follow them: in one shell, in their order, in a terminal. */
const docs = join(import.meta.dirname, "../../docs");

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

type Engine = "mysql" | "postgres";

/** All of a guide's commands. What stands in them for the reader's own is replaced: addresses, passwords and the CAs' files. */
function commandsOf(guide: string, source: Fresh, target: Fresh): string {
  const page = readFileSync(join(docs, guide), "utf8");
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
  expect(blocks.length).toBeGreaterThan(0);
  const secrets = [source.password, target.password];
  return blocks
    .join("\n")
    .replaceAll(/\w+:\/\/reader@[\w.]*old\.example\.com\/\w+/g, source.bare)
    .replaceAll(/\w+:\/\/writer@[\w.]*new\.example\.com\/\w+/g, target.bare)
    .replaceAll("PASSWORD=…", () => `PASSWORD='${secrets.shift()}'`);
}

/** What the terminal showed. Rejects where a command fails. */
async function follow(guide: string, source: Fresh, target: Fresh) {
  const folder = mkdtempSync(join(tmpdir(), "guide-"));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "rowferry"), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`);
  chmodSync(join(bin, "rowferry"), 0o755);
  for (const side of ["old", "new"]) writeFileSync(join(folder, `${side}-ca.pem`), servers.postgres.ca);
  const commands = commandsOf(guide, source, target);
  expect(commands).not.toMatch(/example\.com|…/);
  writeFileSync(join(folder, "guide.sh"), `set -eu\n${commands}`);
  const running = promisify(execFile)("script", ["--quiet", "--return", "--command", "bash guide.sh", "/dev/null"], {
    cwd: folder,
    env: {
      ...inherited(),
      PATH: `${bin}:${process.env.PATH}`,
      ROWFERRY_PG_BIN: servers.tools,
      ROWFERRY_SOURCE_PASSWORD: source.password,
      ROWFERRY_TARGET_PASSWORD: target.password,
      NO_COLOR: "1",
    },
  });
  // The reset asks.
  running.child.stdin?.end("yes\n");
  const { stdout } = await running.catch((error: { stdout: string }) => {
    throw new Error(`the commands of ${guide} failed:\n${error.stdout}`);
  });
  return { stdout, folder };
}

async function filled(engine: Engine): Promise<Fresh> {
  const fresh = await servers.database(engine);
  await fresh.session.query("CREATE TABLE orders (id int PRIMARY KEY, paid int NOT NULL)");
  await fresh.session.query("INSERT INTO orders VALUES (1, 0), (2, 1), (3, 1)");
  return fresh;
}

const tablesOf = async ({ session, name }: Fresh): Promise<string> =>
  String(
    (
      await session.query(
        `SELECT count(*) FROM information_schema.tables WHERE table_schema IN ('public', '${name}') AND table_name NOT LIKE '\\_%'`,
      )
    )[0],
  );

test.each([
  ["guide-mysql-to-postgres.md", "mysql"],
  ["guide-postgres-upgrade.md", "postgres"],
] as const)("%s: a trial is assessed, copied, reported and taken back", async (guide, engine) => {
  const [source, target] = [await filled(engine), await servers.database("postgres")];
  const { stdout, folder } = await follow(guide, source, target);
  expect(stdout).toContain("Dropped ");
  const report = JSON.parse(readFileSync(join(folder, "trial.json"), "utf8")) as CopyReport;
  expect(report.verification).toMatchObject({ level: "checksum", rows: 3, differences: [] });
  expect(readFileSync(join(folder, "trial.html"), "utf8")).toContain("orders");
  expect(await tablesOf(target), "the reset left nothing").toBe("0");
});

test("guide-between-clouds.md: both databases are assessed by verified TLS", async () => {
  const [source, target] = [await filled("postgres"), await servers.database("postgres")];
  const { stdout } = await follow("guide-between-clouds.md", source, target);
  expect(stdout).toMatch(/orders|1 table/);
});
