import type { CopyHooks, EngineProgress } from "../engine/contract/index.ts";
import {
  bytesPerSecond,
  etaSeconds,
  type PaceSample,
  percentOf,
  secondsLeft,
  tablesToShow,
  withSample,
} from "../engine/run/pace.ts";
import { messageWithFlags } from "./flags/messages.ts";
import { type CommandContext, jsonText, plainText } from "./io.ts";
import { frame, markMs, progressLine } from "./terminal/bars.ts";
import { coloursFor } from "./terminal/colours.ts";

/**
 * What is heard on stderr while a command runs: bars on a terminal, lines elsewhere, or events as JSON lines. Everything
 * passes through the redactor, and nothing that came from a database can steer the terminal.
 */
export interface Voice extends Pick<CopyHooks, "log" | "progress" | "measured"> {
  /** The phase that was reached, undefined before the first. */
  reached(): EngineProgress["phase"] | undefined;
  /** The last word of a command that failed: to a person in `words`. */
  failed(words: string, error: { code: string; message: string; retryable: boolean }): void;
  /** That a signal to end was heard. */
  ending(): void;
  /** Takes the bars away, so that what follows stands on lines of its own. Repeatable. */
  still(): void;
}

export const progressModes = ["auto", "bar", "plain", "json", "none"] as const;
export type ProgressMode = (typeof progressModes)[number];

/** It promises nothing: what runs may be complete before it can stop. */
const ending = "Stopping cleanly; press Ctrl-C again to quit now.";

/** Milliseconds between two looks at the progress; the engine tells it more often. */
const every = { bar: 100, plain: 15_000, json: 1_000 };

export function createVoice(mode: ProgressMode, { io, redactor }: CommandContext): Voice {
  const { stderr, env } = io;
  const terminal = stderr.isTTY === true && env.TERM !== "dumb";
  const kind = mode === "auto" ? (terminal ? "bar" : "plain") : mode;
  const ascii = !/utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || "utf-8");
  const colours = coloursFor(stderr, env);
  const colourOf = { info: (text: string) => text, warning: colours.yellow, error: colours.red };
  let samples: PaceSample[] = [];
  let since = io.monotonic();
  let stopTurning: (() => void) | undefined;
  let latest: EngineProgress | undefined;
  let shown = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let over = false;

  const erase = () => {
    if (lines > 0) stderr.write(`\u001b[${lines}A\r\u001b[J`);
    lines = 0;
  };
  const still = () => {
    stopTurning?.();
    stopTurning = undefined;
    over = true;
    erase();
  };
  const draw = () => {
    if (latest === undefined || kind !== "bar" || over) return;
    // 0 of a terminal that does not know its size.
    const columns = Math.max(stderr.columns || 80, 20);
    const at = io.monotonic();
    // Where nothing was told for a while, the rate falls and the time left grows.
    const drawn = frame(latest, withSample(samples, latest, at), { columns, ascii, at, since });
    erase();
    const coloured = drawn.join("\n").replace(/█+/g, colours.cyan).replace(/░+/g, colours.dim);
    stderr.write(`${coloured}\n`);
    lines = drawn.length;
    stopTurning ??= io.repeat(markMs, draw);
  };
  const event = (body: object) => stderr.write(jsonText({ time: io.now().toISOString(), ...body }));

  return {
    still,
    reached: () => latest?.phase,
    failed(words, error) {
      if (kind === "json") return void event({ event: "failed", ...error });
      stderr.write(`${plainText(words).replace(/^rowferry:/, colours.red)}\n`);
    },
    ending() {
      if (kind === "json") return void event({ event: "log", level: "info", message: ending });
      stderr.write(`\n${ending}\n`);
    },
    log(level, words) {
      const message = redactor.clean(messageWithFlags(words));
      if (kind === "json") return void event({ event: "log", level, message });
      if (kind === "none" && level === "info") return;
      erase();
      const mark = level === "info" ? "" : colourOf[level](`${level}: `);
      const time = kind === "plain" ? `${io.now().toISOString()} ` : "";
      stderr.write(`${time}${mark}${plainText(message)}\n`);
      draw();
    },
    measured(size, type) {
      if (kind === "json") event({ event: "measured", size, type });
    },
    progress(progress) {
      if (over) return;
      const at = io.monotonic();
      samples = withSample(samples, progress, at);
      const another = latest?.phase !== progress.phase;
      if (another) since = at;
      latest = progress;
      if (kind === "none" || (!another && at - shown < every[kind])) return;
      shown = at;
      if (kind === "bar") return draw();
      if (kind === "json") return void event({ event: "progress", ...progressEvent(progress, samples) });
      stderr.write(`${io.now().toISOString()} ${progressLine(progress, samples)}\n`);
    },
  };
}

function progressEvent(progress: EngineProgress, samples: readonly PaceSample[]): object {
  const rate = bytesPerSecond(samples);
  return {
    phase: progress.phase,
    percent: percentOf(progress),
    rows: progress.rows,
    bytes: progress.bytes,
    tables: progress.tables,
    bytes_per_second: rate === undefined ? null : Math.round(rate),
    eta_seconds: etaSeconds(samples) ?? null,
    seconds_left: secondsLeft(samples) ?? null,
    table: tablesToShow(progress.table, 40),
  };
}
