import { writeSync } from "node:fs";
import { createRedactor } from "../guard/redact.ts";
import type { ProbeRequest } from "./probe.ts";
import type { ProbeResponse } from "./protocol.ts";
import { type ChildWork, type Message, responseDescriptor } from "./work.ts";

/** A probe's process: waits for its one piece of work on stdin, answers on descriptor 3, and ends. Nothing of it is ever printed. */

/** How long sessions may take to be closed in order when nobody waits any more. */
const goodbyeMs = 800;

function tell(message: Message): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(responseDescriptor, bytes, at);
}

/** An error's words could hold what must not be written anywhere; its name and its stack's frames do not. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames.slice(0, 6).map((frame) => frame.trim().slice(0, 160))].join(" ");
}

/** Never returns. `ask` is probe.ts, passed in. */
export function runProbeProcess(ask: (asked: ProbeRequest) => Promise<ProbeResponse>): void {
  const ending = new AbortController();
  const leave = () => {
    ending.abort(new Error("the probe is ended"));
    setTimeout(() => process.exit(1), goodbyeMs);
  };
  process.on("SIGTERM", leave);
  const fault = (error: unknown) => tell({ fault: placeOf(error) });
  const fail = (error: unknown) => {
    fault(error);
    process.exit(70);
  };
  for (const event of ["uncaughtException", "unhandledRejection"] as const) process.on(event, fail);
  process.removeAllListeners("warning");
  process.on("warning", () => undefined);

  const lines: Buffer[] = [];
  let begun = false;
  const begin = ({ tools, ...work }: ChildWork) => {
    begun = true;
    if (tools !== undefined) {
      const { path, folder, libraries, tmp } = tools;
      process.env.PATH = path;
      process.env.TMPDIR = tmp;
      if (folder !== undefined) process.env.ROWFERRY_PG_BIN = folder;
      if (libraries !== undefined) process.env.LD_LIBRARY_PATH = libraries;
    }
    setTimeout(() => ending.abort(new Error("the probe's time is over")), work.deadlineMs);
    ask({
      ...work,
      redactor: createRedactor(),
      signal: ending.signal,
      reached: (side) => tell({ reached: side }),
      fault,
    }).then((answer) => {
      tell({ answer });
      process.exit(0);
    }, fail);
  };
  process.stdin.on("data", (chunk: Buffer) => {
    if (begun) return;
    lines.push(chunk);
    if (!chunk.includes(0x0a)) return;
    begin(JSON.parse(Buffer.concat(lines).toString("utf8")) as ChildWork);
  });
  process.stdin.on("error", () => process.exit(1));
  // The prober is gone, or wants this one no longer.
  process.stdin.on("end", () => (begun ? leave() : process.exit(0)));
  tell({ ready: true });
}
