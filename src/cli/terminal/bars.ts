import type { EngineProgress } from "../../engine/contract/index.ts";
import { countsRows } from "../../engine/contract/phase.ts";
import {
  bytesPerSecond,
  type PaceSample,
  percentOf,
  secondsLeft,
  sharePerSecond,
  tablesToShow,
} from "../../engine/run/pace.ts";
import { clean, durationText, numberText, sizeText } from "../../guard/text.ts";

/** The lines that a terminal shows of a running copy. Pure: no colour, no cursor, no clock. */

const barWidth = 24;
/** Tables in work that get a line of their own. */
const mostTables = 6;
const phases: Record<EngineProgress["phase"], string> = {
  connecting: "Connecting",
  schema: "Schema",
  copying: "Copying",
  constraints: "Indexes and keys",
  verifying: "Verifying",
  finished: "Finished",
};
const phaseWidth = 16;
const number = (value: number) => numberText(Math.max(Math.round(value), 0));

interface Looks {
  /** The terminal's width; no line is wider. */
  columns: number;
  /** Nothing beyond ASCII is drawn. */
  ascii: boolean;
  /** Milliseconds on a clock that only goes forward: what moves the mark. */
  at: number;
  /** When the phase began, on the same clock. */
  since: number;
}

export function frame(
  progress: EngineProgress,
  samples: readonly PaceSample[],
  { columns, ascii, at, since }: Looks,
): string[] {
  const { phase } = progress;
  const percent = percentOf(progress);
  const builds = phase === "copying" && progress.table.some(({ state }) => state === "indexing") && isRead(progress);
  const left = leftText(samples) ?? durationText((at - since) / 1000);
  const head = `${mark(at, ascii)} ${(builds ? phases.constraints : phases[phase]).padEnd(phaseWidth)} ${bar(percent / 100, ascii)} ${String(percent).padStart(3)} %  ${left}`;
  const facts = factsOf(progress, samples).join("   ");
  const inWork = tablesToShow(progress.table, mostTables).filter(
    ({ state }) => state === "copying" || state === "indexing",
  );
  const lines = inWork.map(({ name, rows: done, total, state }) => {
    const share = total > 0 ? Math.min(done / total, 1) : 0;
    const what = state === "indexing" ? "indexes" : `${String(Math.floor(share * 100)).padStart(3)} %`;
    return `  ${inColumns(name, 36)} ${bar(state === "indexing" ? 1 : share, ascii, 12)} ${what}`;
  });
  return [head, ...(facts === "" ? [] : [`  ${facts}`]), ...lines].map((line) => cutTo(line, columns - 1));
}

/** No table has rows to copy any more. */
const isRead = ({ table }: EngineProgress) => table.every(({ state }) => state === "indexing" || state === "done");

/** Rows, bytes, rate and tables, as far as the phase has them. */
function factsOf({ phase, rows, bytes, tables, compared }: EngineProgress, samples: readonly PaceSample[]): string[] {
  const counted = tables.total > 0 ? [`${number(tables.done)} of ${number(tables.total)} tables`] : [];
  if (phase === "copying") {
    const rate = bytesPerSecond(samples) ?? 0;
    return [
      ...(rows.total > 0 ? [`${number(rows.done)} of ${number(Math.max(rows.total, rows.done))} rows`] : []),
      ...(bytes.total > 0 ? [`${sizeText(bytes.done)} of ${sizeText(bytes.total)}`] : []),
      ...(rate > 0 ? [`${sizeText(rate)}/s`] : []),
      ...counted,
    ];
  }
  if (phase === "verifying" && rows.total > 0) {
    const rate = (sharePerSecond(samples) ?? 0) * rows.total;
    return [
      `${number(compared)} of ${number(Math.max(rows.total, compared))} rows compared`,
      ...(rate > 0 ? [`${number(rate)} rows/s`] : []),
      ...counted,
    ];
  }
  if (!countsRows(phase)) return [];
  return [`${number(rows.done)} rows`, ...(bytes.total > 0 ? [sizeText(bytes.done)] : []), ...counted];
}

/** `20s to 34s left`. */
function leftText(samples: readonly PaceSample[]): string | undefined {
  const left = secondsLeft(samples);
  if (left === undefined) return undefined;
  const [least, most] = [durationText(left.least), durationText(left.most)];
  return `${least === most ? least : `${least} to ${most}`} left`;
}

/** One line, for a log that is no terminal. */
export function progressLine(progress: EngineProgress, samples: readonly PaceSample[]): string {
  const facts = factsOf(progress, samples);
  const left = leftText(samples);
  return [`${percentOf(progress)} % (${progress.phase})`, ...facts, ...(left === undefined ? [] : [left])].join(", ");
}

const turning = { unicode: [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"], ascii: [..."|/-\\"] };
/** Milliseconds that one picture of the mark stays. */
export const markMs = 100;

/** Turns while the program lives, also where a phase has no share that is known. */
function mark(at: number, ascii: boolean): string {
  const pictures = ascii ? turning.ascii : turning.unicode;
  return pictures[Math.floor(at / markMs) % pictures.length] ?? "";
}

function bar(share: number, ascii: boolean, width = barWidth): string {
  const full = Math.round(Math.min(Math.max(share, 0), 1) * width);
  const [done, open] = ascii ? ["#", "."] : ["█", "░"];
  return done.repeat(full) + open.repeat(width - full);
}

/** A name in exactly so many columns. */
function inColumns(name: string, width: number): string {
  const cut = cutTo(clean(name, 256), width);
  return cut + " ".repeat(width - widthOf(cut));
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** East Asian wide characters and emoji take two columns. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;
const widthOfOne = (grapheme: string) => (wide.test(grapheme) ? 2 : /^\p{M}+$|^\u200d$/u.test(grapheme) ? 0 : 1);
export const widthOf = (text: string): number =>
  [...graphemes.segment(text)].reduce((total, { segment }) => total + widthOfOne(segment), 0);

function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += widthOfOne(segment);
    if (used > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
