/** A table of Markdown. Bars in the cells are escaped, in code too, as GitHub wants it. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** What begins a page that nobody edits. */
export const generatedFrom = (source: string): string =>
  `<!-- Generated from ${source} by \`npm run docs\`. Do not edit. -->`;

export const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

/** One row for neighbours of which the same is said. */
export function together(rows: readonly { name: string; cells: readonly string[] }[]): string[][] {
  const joined: { names: string[]; cells: readonly string[] }[] = [];
  for (const { name, cells } of rows) {
    const before = joined.at(-1);
    if (before !== undefined && before.cells.join("\0") === cells.join("\0")) before.names.push(name);
    else joined.push({ names: [name], cells });
  }
  return joined.map(({ names, cells }) => [names.join(", "), ...cells]);
}

export const nameOf = ({ written, words }: { written: string; words?: string }): string =>
  [code(written), words].filter((one) => one !== undefined && one !== "").join(" ");
