import { readFileSync } from "node:fs";
import { join } from "node:path";

/** docs/restore-without-rowferry.md, as its readers follow it. */
export const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "restore-without-rowferry.md"), "utf8");

/** The commands below a heading, as they are written. Throws where there are none. */
export function commandsOf(heading: string): string {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const commands = [...section.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  if (commands.length === 0) throw new Error(`the page has no commands below ${heading}`);
  return commands.join("\n");
}
