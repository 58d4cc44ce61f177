/** Lines of prose in Markdown have at most so many characters. */
export const longestLine = 100;

const marker = /^ *(?:[-*+]|\d+[.)]) +/;
/** These lines are not prose: blank lines, headings, tables, HTML and quotations. */
const apart = /^\s*(?:$|#{1,6} |\||<|>)/;
/** A code span and a link are never broken, nor is one with what is written directly next to it. */
const word = /(?:`[^`]*`|!?\[(?:`[^`]*`|[^\]`])*\](?:\([^)]*\))?|\S)+/g;
/** Markdown would read these as a list or a heading at the beginning of a line. */
const meaning = /^(?:[-*+>]|#{1,6}|\d+[.)]|[=-]+|\|.*)$/;

/** The paragraph's lines, filled anew if one of them is too long. */
function filled(lines: readonly string[]): string[] {
  const [first = ""] = lines;
  if (lines.every((line) => line.length <= longestLine) || lines.some((line) => / {2}$|\\$/.test(line)))
    return [...lines];
  const lead = marker.exec(first)?.[0] ?? /^ */.exec(first)?.[0] ?? "";
  const text = [first.slice(lead.length), ...lines.slice(1)].map((line) => line.trim()).join(" ");
  const result: string[] = [];
  let line = lead;
  let empty = true;
  for (const one of text.match(word) ?? []) {
    if (empty || line.length + 1 + one.length <= longestLine || meaning.test(one)) line += empty ? one : ` ${one}`;
    else {
      result.push(line);
      line = " ".repeat(lead.length) + one;
    }
    empty = false;
  }
  return [...result, line];
}

/** The page with its paragraphs and list items wrapped; code, tables, headings and HTML stay as they are. */
export function wrapped(page: string): string {
  const result: string[] = [];
  let paragraph: string[] = [];
  let fence: string | undefined;
  const end = () => {
    result.push(...filled(paragraph));
    paragraph = [];
  };
  for (const line of page.split("\n")) {
    const [, ticks] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined || ticks !== undefined || apart.test(line)) {
      end();
      result.push(line);
      if (fence === undefined) fence = ticks;
      else if (ticks?.startsWith(fence) === true) fence = undefined;
    } else {
      if (marker.test(line)) end();
      paragraph.push(line);
    }
  }
  end();
  return result.join("\n");
}
