// One database server in namespaces of its own, with a folder of its own; what it runs is the root file system's
// `database` script.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { failure } from "../terminal/failure.ts";
import { databasePlace } from "./place.ts";

export type Engine = "mysql" | "mariadb" | "postgres";

/** The account inside the root file systems that owns the data. */
export const account = 65533;

export type ServerOptions = {
  root: string;
  engine: Engine;
  verb: "init" | "run";
  args: readonly string[];
  /** Environment of the `database` script. */
  env: Record<string, string>;
  /** A folder that is copied to be the data at first. */
  template?: string;
  /** Size of the data's file system in MiB; absent: no limit of its own. */
  megabytes?: number;
};

export type Server = {
  /** Starts the server program; resolves with its process id once it runs, not when it answers. */
  start(): Promise<number>;
  /** Resolves with the exit code of the program that `start` started last. */
  exited(): Promise<number>;
  /** What the server wrote so far. */
  log(): Promise<string>;
  /** The data folder as this process sees it; empty when `megabytes` is set. */
  data: string;
  /** Ends everything at once and deletes the folder. */
  remove(): Promise<void>;
};

/** The process outside whose innermost namespace calls it `inner`, among `pid` and what it started. */
const outerPid = async (pid: number, inner: number): Promise<number | undefined> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const ids = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? [];
  if (ids.length > 1 && ids.at(-1) === String(inner)) return pid;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  for (const child of children.split(" ").filter(Boolean)) {
    const found = await outerPid(Number(child), inner);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Like Promise.withResolvers, for a promise that perhaps nobody awaits. */
const later = () => {
  const made = Promise.withResolvers<number>();
  made.promise.catch(() => {});
  return made;
};

/** Prepares a server; nothing runs in it before `start`. It and its folder go when this process ends, however it ends. */
export const openServer = async (options: ServerOptions): Promise<Server> => {
  if (process.getuid?.() !== 0)
    throw failure("Database servers outside the cluster need root.", "Run the command as root.");
  const folder = await mkdtemp(join(databasePlace(process.env), "rowferry-database-"));
  const data = join(folder, "data");
  await mkdir(data);
  await chown(data, account, account);
  await chmod(folder, 0o711);
  const supervise = join(import.meta.dirname, "supervise.sh");
  const child = spawn(
    "unshare",
    [
      ...["--mount", "--pid", "--ipc", "--fork", "--kill-child", "sh", supervise, options.root, folder],
      ...[String(options.megabytes ?? 0), options.template ?? "", options.verb, options.engine, ...options.args],
    ],
    {
      env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      // Out of reach of the terminal's Ctrl-C: the caller stops it in order.
      detached: true,
    },
  );
  const closed = once(child, "close");
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  child.stdin.on("error", () => {});
  let gone = false;
  let pid = later();
  let exit = later();
  createInterface(child.stdout).on("line", (line) => {
    const [word, number] = line.split(" ");
    if (word === "pid") {
      outerPid(child.pid ?? 0, Number(number)).then(
        (found) => (found === undefined ? pid.reject(new Error("The server stopped at once")) : pid.resolve(found)),
        pid.reject,
      );
    } else if (word === "exited") exit.resolve(Number(number));
  });
  child.once("close", () => {
    gone = true;
    pid.reject(new Error(`The database's supervisor stopped: ${complaint.trim()}`));
    exit.resolve(137);
  });

  return {
    data,
    start: () => {
      pid = later();
      exit = later();
      if (gone) pid.reject(new Error(`The database's supervisor stopped: ${complaint.trim()}`));
      child.stdin.write("start\n");
      return pid.promise;
    },
    exited: () => exit.promise,
    log: () => readFile(join(folder, "log"), "utf8").catch(() => complaint),
    remove: async () => {
      child.stdin.end();
      await closed;
      if (existsSync(folder)) await rm(folder, { recursive: true, force: true });
    },
  };
};
