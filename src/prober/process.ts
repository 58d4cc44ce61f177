import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { largestResponse } from "./protocol.ts";
import { type ChildWork, type Message, responseDescriptor } from "./work.ts";

/**
 * One child: a Node process with an empty environment and Node's permission model, which reads no file but its own program's. It
 * is in a process group of its own, so that nothing it started outlives it.
 */

export interface ChildSettings {
  /** Program of the child (src/main/probe.ts). */
  entry: string;
  /** Folders and files that the program is in. */
  readable: readonly string[];
  heapMegabytes: number;
  /** Of the process and what it started, in bytes, beyond which it is killed. */
  mostResident: number;
  /** Told what a child said that ended before it was given any work, or the place of an error of our own. */
  failed(words: string): void;
}

/** How a child ended without an answer; `reached` are the sides whose sessions were open. */
export type ProcessEnd = { why: "deadline" | "memory" | "crash" | "left"; reached: Set<"source" | "target"> };

export interface Child {
  readonly pid: number;
  readonly ready: Promise<void>;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  /** Once. At the deadline it is killed; when `signal` aborts it may end in order for a moment. Never rejects. */
  ask(work: ChildWork, killAfterMs: number, signal: AbortSignal): Promise<{ answer: unknown } | ProcessEnd>;
  kill(): void;
}

/** V8 at its bound, and the kernel at the pod's. */
const outOfMemory = new Set<string>(["SIGABRT", "SIGTRAP", "SIGKILL"]);
const lookEveryMs = 100;
const orderlyMs = 1000;
/** Characters of a child's complaint. */
const mostWords = 2000;

/** `tmp`: the child may start programs (pg_dump), and write in this folder alone. */
export function startChild(settings: ChildSettings, tmp?: string): Child {
  const readable = tmp === undefined ? settings.readable : [...settings.readable, tmp];
  const flags = [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...(tmp === undefined ? [] : [`--allow-fs-write=${tmp}`, "--allow-child-process"]),
    `--max-old-space-size=${settings.heapMegabytes}`,
    "--disallow-code-generation-from-strings",
    "--no-warnings",
  ];
  const child = spawn(process.execPath, [...flags, settings.entry], {
    env: {},
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  const ready = Promise.withResolvers<void>();
  // Who waits for it hears of it; for the others it is no news.
  ready.promise.catch(() => undefined);
  const gone = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  const reached = new Set<"source" | "target">();
  let given = false;
  let settle: ((result: { answer: unknown } | ProcessEnd) => void) | undefined;
  let words = "";

  let killed = false;
  const kill = () => {
    killed = true;
    signalGroup(child, "SIGKILL");
  };
  child.stdin?.on("error", () => undefined);
  child.stderr?.on("data", (chunk: Buffer) => {
    // Later it could hold what it was given.
    if (!given) words = (words + chunk.toString("utf8")).slice(0, mostWords);
  });
  readLines(child.stdio[responseDescriptor] as Readable, kill, (line) => {
    const message = parse(line);
    if (message === undefined) return kill();
    if ("ready" in message) return ready.resolve();
    if ("reached" in message) return void reached.add(message.reached);
    if ("fault" in message) return settings.failed(message.fault);
    settle?.({ answer: message.answer });
  });
  const over = () => {
    if (!given && !killed) settings.failed(words.trim());
    ready.reject(new Error("a child ended before it was ready"));
    settle?.({ why: outOfMemory.has(child.signalCode ?? "") ? "memory" : "crash", reached });
  };
  // What it started goes with it.
  child.once("exit", () => signalGroup(child, "SIGKILL"));
  child.once("error", over);
  child.once("close", over);

  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    gone,
    kill,
    async ask(work, killAfterMs, signal) {
      given = true;
      const { promise, resolve } = Promise.withResolvers<{ answer: unknown } | ProcessEnd>();
      settle = resolve;
      const end = (why: ProcessEnd["why"]) => {
        resolve({ why, reached });
        kill();
      };
      const deadline = setTimeout(() => end("deadline"), killAfterMs);
      const look = setInterval(() => {
        if (resident(child.pid ?? 0) > settings.mostResident) end("memory");
      }, lookEveryMs);
      const leave = () => {
        resolve({ why: "left", reached });
        signalGroup(child, "SIGTERM");
        const timer = setTimeout(kill, orderlyMs);
        void gone.then(() => clearTimeout(timer));
      };
      signal.addEventListener("abort", leave, { once: true });
      if (child.exitCode !== null || child.signalCode !== null) resolve({ why: "crash", reached });
      child.stdin?.write(`${JSON.stringify(work)}\n`);
      if (signal.aborted) leave();
      const result = await promise;
      clearTimeout(deadline);
      clearInterval(look);
      signal.removeEventListener("abort", leave);
      // What answered ends by itself, but for one that does not.
      if ("answer" in result) {
        const timer = setTimeout(kill, orderlyMs);
        void gone.then(() => clearTimeout(timer));
      }
      return result;
    },
  };
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // All of them ended in the meantime.
  }
}

/** Lines of at most an answer's size; more, and `tooMuch` is called. */
function readLines(stream: Readable, tooMuch: () => void, take: (line: string) => void): void {
  let parts: Buffer[] = [];
  let size = 0;
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => {
    for (let rest = chunk; ; ) {
      const at = rest.indexOf(0x0a);
      const piece = at < 0 ? rest : rest.subarray(0, at);
      parts.push(piece);
      size += piece.length;
      if (size > largestResponse) return tooMuch();
      if (at < 0) return;
      take(Buffer.concat(parts).toString("utf8"));
      parts = [];
      size = 0;
      rest = rest.subarray(at + 1);
    }
  });
}

function parse(line: string): Message | undefined {
  try {
    const value = JSON.parse(line) as Partial<Record<"ready" | "reached" | "fault" | "answer", unknown>>;
    if (value.ready === true) return { ready: true };
    if (value.reached === "source" || value.reached === "target") return { reached: value.reached };
    if (typeof value.fault === "string") return { fault: value.fault.slice(0, mostWords) };
    return value.answer === undefined ? undefined : { answer: value.answer };
  } catch {
    return undefined;
  }
}

/** Bytes of a process and its children that are in memory; 0 for one that is gone. */
function resident(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    const theirs = children === "" ? [] : children.split(" ").map((child) => resident(Number(child)));
    return pages * pageSize + theirs.reduce((sum, bytes) => sum + bytes, 0);
  } catch {
    return 0;
  }
}

/** Of x86-64 and of most ARM kernels; with larger ones less is counted than there is, and V8's own bound is what holds. */
const pageSize = 4096;
