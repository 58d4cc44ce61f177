import type { EngineProgress } from "../engine/contract.ts";
import { bytesPerSecond, etaSeconds, percentOf, type Sample, tablesToShow } from "../engine/pace.ts";
import { clean, durationText, sizeText } from "../guard/words.ts";

/** The lines that a terminal shows of a running copy. Pure: no colour, no cursor. */

const barWidth = 24;
/** Tables in work that get a line of their own. */
const mostTables = 6;
const phases: Record<EngineProgress["phase"], string> = {
  connecting: "Connecting",
  schema: "Schema",
  copying: "Copying",
  constraints: "Constraints",
  verifying: "Verifying",
  finished: "Finished",
};
const number = (value: number) => Math.max(Math.round(value), 0).toLocaleString("en-US");

/** `columns`: the terminal's width; no line is wider. `ascii`: nothing beyond ASCII is drawn. */
export function frame(
  progress: EngineProgress,
  samples: readonly Sample[],
  { columns, ascii }: { columns: number; ascii: boolean },
): string[] {
  const { rows, tables, phase } = progress;
  const percent = percentOf(progress);
  const rate = bytesPerSecond(samples);
  const eta = etaSeconds(samples);
  const facts = [
    rows.total > 0 ? `${number(rows.done)} of ${number(Math.max(rows.total, rows.done))} rows` : "",
    rate !== undefined && rate > 0 ? `${sizeText(rate)}/s` : "",
    eta === undefined ? "" : `${durationText(eta)} left`,
  ].filter((text) => text !== "");
  const head = `${phases[phase].padEnd(11)} ${bar(percent / 100, ascii)} ${String(percent).padStart(3)} %  ${facts.join("  ")}`;
  const inWork = tablesToShow(progress.table, mostTables).filter(
    ({ state }) => state === "copying" || state === "indexing",
  );
  const lines = inWork.map(({ name, rows: done, total, state }) => {
    const share = total > 0 ? Math.min(done / total, 1) : 0;
    const what = state === "indexing" ? "indexes" : `${String(Math.floor(share * 100)).padStart(3)} %`;
    return `  ${inColumns(name, 36)} ${bar(state === "indexing" ? 1 : share, ascii, 12)} ${what}`;
  });
  const rest =
    tables.total > 0 && phase === "copying" ? [`  ${number(tables.done)} of ${number(tables.total)} tables done`] : [];
  return [head, ...lines, ...rest].map((line) => cutTo(line, columns - 1));
}

/** One line, for a log that is no terminal. */
export function progressLine(progress: EngineProgress, samples: readonly Sample[]): string {
  const { rows, tables } = progress;
  const eta = etaSeconds(samples);
  const left = eta === undefined ? "" : `, ${durationText(eta)} left`;
  return `${percentOf(progress)} % (${progress.phase}): ${number(rows.done)} rows, ${number(tables.done)} of ${number(tables.total)} tables done${left}`;
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
