import { type AST, RegExpParser } from "@eslint-community/regexpp";

/**
 * Text that makes a regular expression slow, if any does: what leads up to each of its repetitions, then what this repetition takes,
 * again and again, then an end that it does not take; and likewise with what leads up to it repeated too.
 */
export function* hostileTexts(source: string, flags: string, length: number): Generator<string> {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const characters = charactersOf(source);
  const seen = new Set<string>();
  const cases: { before: string; words: string[] }[] = [];
  walk(pattern.alternatives, "", characters, flags, (before, element) =>
    cases.push({ before, words: wordsOf(element, characters, flags) }),
  );
  for (const { before, words } of cases) {
    for (const word of words) {
      for (const [start, unit] of [
        [before, word],
        ["", word],
        ["", before + word],
      ] as const) {
        if (unit === "" || unit.length > length / 10) continue;
        for (const end of ["", "\0"]) {
          const key = JSON.stringify([start, unit, end]);
          if (seen.has(key)) continue;
          seen.add(key);
          yield start + unit.repeat(Math.floor((length - start.length) / unit.length)) + end;
        }
      }
    }
  }
}

type Node = AST.Element | AST.Alternative;

/** Calls for each repetition, with a text that leads up to it. */
function walk(
  alternatives: readonly AST.Alternative[],
  before: string,
  characters: readonly string[],
  flags: string,
  call: (before: string, element: AST.QuantifiableElement) => void,
): void {
  for (const { elements } of alternatives) {
    let text = before;
    for (const element of elements) {
      const inner = element.type === "Quantifier" ? element.element : element;
      if (element.type === "Quantifier" && element.max - element.min > 3) call(text, element.element);
      if ("alternatives" in inner) walk(inner.alternatives, text, characters, flags, call);
      text += sample(element, characters, flags);
    }
  }
}

/** A text that a part matches, mostly: what looks around is not heeded. */
function sample(node: Node, characters: readonly string[], flags: string): string {
  switch (node.type) {
    case "Alternative":
      return node.elements.map((one) => sample(one, characters, flags)).join("");
    case "Group":
    case "CapturingGroup":
      return sample(node.alternatives[0] as AST.Alternative, characters, flags);
    case "Quantifier":
      return sample(node.element, characters, flags).repeat(Math.min(Math.max(node.min, 1), 64));
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterClass":
    case "CharacterSet":
      return characters.find((one) => matches(node.raw, flags, one)) ?? "";
    case "Backreference": {
      const group = Array.isArray(node.resolved) ? node.resolved[0] : node.resolved;
      return group === undefined ? "" : sample(group, characters, flags);
    }
    default:
      return "";
  }
}

/** What a repetition takes: each way of it, and of the pattern's own characters each one and each pair. */
function wordsOf(element: AST.QuantifiableElement, characters: readonly string[], flags: string): string[] {
  const ways =
    "alternatives" in element
      ? element.alternatives.map((one) => sample(one, characters, flags))
      : [sample(element, characters, flags)];
  const few = characters.slice(0, 6);
  const pairs = few.flatMap((one) => few.map((two) => one + two));
  const taken = [...characters, ...pairs].filter((text) => matches(`(?:${element.raw})+`, flags, text));
  return [...new Set([...ways, ways.join(""), ...taken])].slice(0, 16);
}

function matches(source: string, flags: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, "")).test(text);
  } catch {
    // It refers to a group outside of it.
    return false;
  }
}

/** Those that a pattern names, the rarest kinds first, and some of each usual class. */
function charactersOf(source: string): string[] {
  const plain = source.replace(/\\[pP]\{[^}]*\}|\\u\{?[0-9a-fA-F]+\}?|\\x[0-9a-fA-F]{2}|\\[a-zA-Z0-9]/g, "");
  const marks = [...new Set(plain.replace(/[\w[\](){}?+*|^$\\]/g, ""))].slice(0, 12);
  const escaped = [...new Set([...source.matchAll(/\\([[\](){}?+*|^$\\.])/g)].map(([, one = ""]) => one))];
  const letters = [...new Set(plain.replace(/\W/g, ""))].slice(0, 4);
  return [...new Set([...marks, ...escaped, " ", "a", "0", "\n", ...letters, "A", "\\", "_", "é"])];
}
