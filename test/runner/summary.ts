import type { Tally } from "../tally.ts";

/** What a job or a check came to. `failures`: what the runner said of them, empty where it stands right above. */
export type Result = Tally & { name: string; part: string; seconds: number; failures?: string };

/**
 * The end of a run: each failure again, a line for each part with its time, after a failure the folder of the logs and the next
 * step, and the sum as the last line. `seconds`: from start to end.
 */
export function summary(
  results: readonly Result[],
  seconds: number,
  logs: string,
): { text: string; failed: number; passed: number } {
  const sum = (list: readonly Result[], key: "passed" | "failed" | "seconds") =>
    list.reduce((total, result) => total + result[key], 0);
  const lines = results.flatMap(({ name, failures }) => (failures ? [`\n── failures of ${name}\n${failures}`] : []));
  lines.push("");
  for (const part of new Set(results.map((result) => result.part))) {
    const own = results.filter((result) => result.part === part);
    const time = `${sum(own, "seconds").toFixed(1)} s`.padStart(9);
    const counts = `${String(sum(own, "passed")).padStart(7)} passed${String(sum(own, "failed")).padStart(5)} failed`;
    lines.push(`${part.padEnd(12)}${time}${counts}${own.length > 1 ? `  in ${own.length} jobs` : ""}`);
    for (const { remarks } of own) for (const remark of remarks) lines.push(`  ${remark}`);
  }
  lines.push(`all in ${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`);
  const [passed, failed] = [sum(results, "passed"), sum(results, "failed")];
  const red = [...new Set(results.filter((result) => result.failed > 0).map(({ part }) => part))];
  if (red.length > 0) {
    lines.push(`✗ test: failures in ${red.join(", ")}`, `  log:  ${logs}`);
    const words = ["npm test", ...(red.includes("(all)") ? [] : ["--", ...red])].join(" ");
    lines.push(`  next: Fix the failures above, then run \`${words}\`.`);
  }
  lines.push(`${passed} passed, ${failed} failed`);
  return { text: lines.join("\n"), passed, failed };
}
