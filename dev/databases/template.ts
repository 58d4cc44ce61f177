// An initialised data folder for each kind, in the cache: a copy of it is a database that starts in about a second.
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { keep } from "../image/store.ts";
import { cacheFolder } from "../terminal/cache.ts";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";
import { type DatabaseKind, kinds } from "./kinds.ts";
import { openServer } from "./server.ts";

/** Of every account in every database outside the cluster, which listens on loopback alone. */
export const password = "rowferry-test";

const make = async (kind: DatabaseKind, root: string, target: string): Promise<void> => {
  const { engine } = kinds[kind];
  const env = { DATABASE_PASSWORD: password };
  const server = await openServer({ root, engine, verb: "init", args: [], env });
  try {
    await server.start().catch(() => {});
    const code = await server.exited();
    if (code !== 0)
      throw new Error(`Initializing ${kind} failed with exit code ${code}: ${(await server.log()).slice(-2000)}`);
    await run("cp", ["-a", "--reflink=auto", `${server.data}/.`, target]);
  } finally {
    await server.remove();
  }
};

/** The template of `kind` for this root file system, made on first use (1 to 10 s). */
export const dataTemplate = (kind: DatabaseKind, root: string, terminal: Terminal): Promise<string> => {
  const key = createHash("sha256")
    .update(JSON.stringify([basename(root), password]))
    .digest("hex")
    .slice(0, 16);
  return keep({ folder: join(cacheFolder(), "databases"), name: kind, key }, async (part) => {
    await mkdir(part);
    await terminal.step(`Initialise ${kind}`, () => make(kind, root, part));
  });
};
