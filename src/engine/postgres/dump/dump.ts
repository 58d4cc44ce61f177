import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { promisify } from "node:util";
import { dial } from "../../../guard/dial.ts";
import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { programBytes } from "../../run/memory/bounded.ts";
import { findFirst } from "../../run/memory/iterators.ts";
import { createPacked, type Packed } from "../../run/memory/packed.ts";
import { releaseMemory } from "../../run/memory/release.ts";
import type { Session } from "../driver/connection.ts";
import { optionsFor } from "../driver/settings.ts";
import { createArchiveReader, type DumpEntry } from "./archive.ts";
import { dumpFailure, throwCause } from "./dump-failure.ts";
import { openOutput, type Room, type Take } from "./program-output.ts";

/** pg_dump as the reader of a schema: found, checked against the servers' versions, and run on the snapshot. */

/** The major version of the pg_dump that will be run. Errors: `pg_dump_missing`. */
export async function dumpVersion(env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)(dumpPath(env), ["--version"], {
      env: { PATH: env.PATH ?? "" },
      timeout: 20_000,
    });
    return Number(/(?<!\d)(\d+)(\.\d+|beta|rc|devel)/.exec(stdout)?.[1] ?? 0);
  } catch (cause) {
    throw new EngineError(
      "pg_dump_missing",
      "pg_dump was not found: install PostgreSQL's client programs, or set ROWFERRY_PG_BIN to the folder that they are in",
      { cause },
    );
  }
}

const dumpPath = (env: NodeJS.ProcessEnv) => (env.ROWFERRY_PG_BIN ? join(env.ROWFERRY_PG_BIN, "pg_dump") : "pg_dump");

/** Errors: `pg_dump_too_old`, which names the version that is needed. */
export function checkDumpVersion(found: number, source: Session, target: Session): void {
  const needed = Math.max(...[source, target].map(({ version }) => Math.floor(version / 10_000)));
  if (found >= needed) return;
  throw new EngineError(
    "pg_dump_too_old",
    `pg_dump is of version ${found}, and the servers need ${needed} or newer: install PostgreSQL's client programs of version ${needed}, or set ROWFERRY_PG_BIN to the folder that they are in`,
  );
}

export interface DumpOptions {
  snapshot: string;
  applicationName: string;
  /** Tables to leave out, quoted and with their schema. */
  without: readonly string[];
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Bytes that pg_dump may take, where this machine tells. By default programBytes(). */
  memory?: number;
  /** Where its output goes, instead of a buffer that each piece is in. */
  room?: Room;
}

/** The schema as a list of entries in an order in which they can be made. Errors: those of dump-failure.ts and of `source`. */
export async function dumpSchema(source: Session, options: DumpOptions): Promise<Packed<DumpEntry>> {
  const entries = createPacked<DumpEntry>();
  const archive = createArchiveReader((entry) => entries.push(entry));
  let size = 0;
  // Of ten thousand tables pg_dump takes half of a worker's container.
  await releaseMemory();
  const args = ["--section=pre-data", "--section=post-data", "--no-blobs", "--encoding=UTF8"];
  await runDump(source, args, options, (piece) => {
    size += piece.length;
    if (size > mostBytes) throw tooLarge(options.memory ?? programBytes());
    archive.take(piece);
    return undefined;
  });
  archive.end();
  refuseOtherStrings(entries);
  return entries;
}

/**
 * Runs pg_dump in its custom format, uncompressed, and gives its output piece by piece to `take`, each good until the call has ended.
 * Errors: those of dump-failure.ts, of `source` and of `take`.
 */
export async function runDump(
  source: Session,
  args: readonly string[],
  options: DumpOptions,
  take: Take,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-"));
  try {
    const all = [
      "--format=custom",
      "--compress=0",
      "--no-subscriptions",
      "--quote-all-identifiers",
      "--no-password",
      "--lock-wait-timeout=10000",
      `--snapshot=${options.snapshot}`,
      ...args,
      ...options.without.map((table) => `--exclude-table=${table}`),
    ];
    const env = { ...(await environment(source, folder, options)), ...(await optionsFor(source)) };
    await atAddress(source, (address) => output(source, all, { ...env, ...address }, options, take));
  } catch (error) {
    await throwCause(error, source);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Errors: `setting_not_kept` where the definitions' backslashes are not what our sessions take them for. */
function refuseOtherStrings(entries: Iterable<DumpEntry>): void {
  const set = findFirst(entries, ({ kind }) => kind === "STDSTRINGS")?.create ?? "";
  if (!/'off'/.test(set)) return;
  throw new EngineError(
    "setting_not_kept",
    "pg_dump read the source's schema with standard_conforming_strings=off: connect to the server itself, or to a pooler in session mode, and retry",
  );
}

/** Where the session is: the address that was resolved and allowed, since a name may stand for another a moment later. */
function atAddress<T>({ place, address }: Session, dump: (address: Record<string, string>) => Promise<T>): Promise<T> {
  const { guard } = place.endpoint;
  if (guard === undefined) return dump(address === undefined ? {} : { PGHOSTADDR: address });
  if (address === undefined)
    throw new EngineError("connection_lost", "the connection to the source database was lost", { retryable: true });
  return dial({ host: address, guard }, (allowed) => dump({ PGHOSTADDR: allowed }));
}

/** All that libpq reads, and nothing else of ours: the password is in no argument and no file. */
async function environment({ place: { endpoint }, encrypted }: Session, folder: string, options: DumpOptions) {
  const { mode, ca } = endpoint.tls;
  const verified = mode === "verify-ca" || mode === "verify-full";
  const roots = join(folder, "roots.pem");
  if (verified) await writeFile(roots, ca ?? rootCertificates.join("\n"), { mode: 0o600 });
  return {
    PATH: options.env.PATH ?? "",
    ...(options.env.LD_LIBRARY_PATH ? { LD_LIBRARY_PATH: options.env.LD_LIBRARY_PATH } : {}),
    HOME: folder,
    LC_ALL: "C.UTF-8",
    PGHOST: endpoint.host,
    PGPORT: String(endpoint.port),
    PGUSER: endpoint.user,
    PGDATABASE: endpoint.database,
    PGPASSWORD: endpoint.password,
    PGPASSFILE: join(folder, "none"),
    PGAPPNAME: options.applicationName,
    PGCONNECT_TIMEOUT: "15",
    PGGSSENCMODE: "disable",
    PGSSLMODE: encrypted ? (verified ? mode : "require") : "disable",
    PGSSLROOTCERT: verified ? roots : join(folder, "none"),
    PGCHANNELBINDING: endpoint.tls.binding ?? (encrypted ? "prefer" : "disable"),
    // As in guardLogin. Known to libpq 16 and newer; an older one answers as it always did.
    ...(encrypted ? (verified ? {} : { PGREQUIREAUTH: "!password" }) : { PGREQUIREAUTH: "!password,!md5" }),
  };
}

/** A schema's dump is some kilobytes a table; this bounds what a hostile server can make us keep. */
const mostBytes = 512 * 1024 * 1024;

const lookEveryMs = 100;
/** Of /proc/…/statm. */
const pageBytes = 4096;

/** libpq keeps whatever a server sends. Where there is no /proc nothing is looked at. */
function boundMemory(child: ChildProcess, most: number, over: () => void): void {
  const look = async () => {
    const [, resident = "0"] = (await readFile(`/proc/${child.pid}/statm`, "utf8")).split(" ");
    if (Number(resident) * pageBytes <= most) return;
    over();
    child.kill("SIGKILL");
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs);
  child.once("close", () => clearInterval(timer));
  child.once("error", () => clearInterval(timer));
}

const tooLarge = (memory: number) =>
  new EngineError(
    "source_refused",
    `pg_dump was ended when it took more than ${Math.round(memory / 1e6)} MB of memory to read the source's schema: give the worker more (worker.resources.limits.memory), if the server is what it seems to be`,
  );

async function output(
  source: Session,
  args: string[],
  env: NodeJS.ProcessEnv,
  { env: own, signal, memory = programBytes(), room }: DumpOptions,
  take: Take,
): Promise<void> {
  const written = await openOutput(room);
  const child = spawn(dumpPath(own), args, { env, stdio: ["ignore", written.stdout, "pipe"], signal });
  written.stdout.destroy();
  let words = "";
  let large = false;
  boundMemory(child, memory, () => {
    large = true;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4000);
  });
  const closed = once(child, "close").catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new EngineError("pg_dump_missing", "pg_dump could not be started", { cause });
  });
  const taken = written.read(take).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  const [ended, read] = await Promise.allSettled([closed, taken]);
  signal.throwIfAborted();
  if (ended.status === "rejected") throw ended.reason;
  if (large) throw tooLarge(memory);
  if (read.status === "rejected") throw read.reason;
  if (ended.value[0] === 0) return;
  throw dumpFailure(
    printable(words.trim().replace(/\n(pg_dump: )?/g, "; ")).replaceAll(source.place.endpoint.password || "\0", "***"),
  );
}
