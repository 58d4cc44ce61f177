import { readFileSync, writeSync } from "node:fs";
import { createContext, Script } from "node:vm";
import type { Pattern } from "./find.ts";
import { hostileTexts } from "./hostile.ts";

/**
 * Feeds patterns with hostile text: `child.ts FILE LENGTH MILLISECONDS`, where the file has the patterns as JSON. Writes those that took
 * longer than so many milliseconds of the processor for one text, as lines of JSON, each as soon as it is found.
 */
const [file = "", length = "", most = ""] = process.argv.slice(2);
/** Milliseconds after which an expression is given up. */
const deadline = 5000;

/** Milliseconds of the processor that one text takes; with `g` all matches of it are looked for, as the code does. */
function taken(regex: RegExp, text: string): number {
  regex.lastIndex = 0;
  const before = process.threadCpuUsage();
  if (regex.global) text.replace(regex, "");
  else regex.exec(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const scene: { find?: () => void } = createContext({});
const script = new Script("find()");

/** The first text that is slow; `Infinity`: it was given up. */
function slowText({ source, flags }: Pattern): { text: string; milliseconds: number } | undefined {
  const regex = new RegExp(source, flags);
  let tried = "";
  let found: ReturnType<typeof slowText>;
  scene.find = () => {
    for (const text of hostileTexts(source, flags, Number(length))) {
      tried = text;
      // The best of several: the first compiles, and one may have been in the collector's way.
      let best = taken(regex, text);
      for (let more = 0; more < 2 && best > Number(most); more++) best = Math.min(best, taken(regex, text));
      if (best <= Number(most)) continue;
      found = { text, milliseconds: best };
      return;
    }
  };
  try {
    // A regular expression cannot be interrupted but by the virtual machine's own watch.
    script.runInContext(scene, { timeout: deadline });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    return { text: tried, milliseconds: Number.POSITIVE_INFINITY };
  }
  return found;
}

for (const pattern of JSON.parse(readFileSync(file, "utf8")) as Pattern[]) {
  const found = slowText(pattern);
  if (found === undefined) continue;
  const { text, milliseconds } = found;
  writeSync(1, `${JSON.stringify({ ...pattern, start: text.slice(0, 60), milliseconds })}\n`);
}
