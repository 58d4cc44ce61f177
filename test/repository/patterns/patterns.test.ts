import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { sourceFiles } from "../imports.ts";
import { createPatterns, type Pattern } from "./find.ts";
import { hostileTexts } from "./hostile.ts";
import { known } from "./known.ts";

/** No regular expression that meets input takes more than linear time, so that nobody's text makes a process hang. */

const root = join(import.meta.dirname, "..", "..", "..");
const minutes = 60_000;

const all = (): Pattern[] =>
  sourceFiles(root, ["src", "controllers"])
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(createPatterns(root));

/** Those that take longer than so many milliseconds of the processor for a text of so many characters. */
async function slow(patterns: readonly Pattern[], characters = 10_000, milliseconds = 8): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "patterns-"));
  try {
    const file = join(folder, "patterns.json");
    await writeFile(file, JSON.stringify(patterns));
    const child = join(import.meta.dirname, "child.ts");
    const options = { timeout: 8 * minutes, killSignal: "SIGKILL" as const };
    const args = [child, file, String(characters), String(milliseconds)];
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    return stdout.split("\n").filter((line) => line !== "");
  } finally {
    await rm(folder, { recursive: true });
  }
}

const isKnown = ({ path, source }: Pattern): boolean => known.some((one) => one.path === path && one.source === source);

it(
  "no regular expression is slow for hostile text, but those that see short text of the project's own",
  async () => {
    const patterns = all();
    expect(patterns.length).toBeGreaterThan(800);
    expect(await slow(patterns.filter((pattern) => !isKnown(pattern)))).toEqual([]);
    const gone = known.filter(
      ({ path, source }) => !patterns.some((one) => one.path === path && one.source === source),
    );
    expect(gone, "no longer in the code").toEqual([]);
  },
  9 * minutes,
);

const pattern = (source: string, flags = ""): Pattern => ({ path: "x.ts", line: 1, source, flags, isPartial: false });

it(
  "each kind of slow expression is found, and its linear form is not",
  async () => {
    const bad = ["(a+)+b", "^(?:\\s*\\d+,?)+$", "x+$", "'(?:[^']|'')*'x", "^([ab]|a)*c", "<!--.*?-->", "^a.*b.*c.*d$"];
    // Of quadratic time: twice the text is far beyond the limit on any machine.
    const found = await slow(
      bad.map((source) => pattern(source, source.startsWith("<") ? "g" : "")),
      30_000,
    );
    expect(found.map((line) => (JSON.parse(line) as Pattern).source)).toEqual(bad);
    const good = ["^a+b$", "^(?:\\d+,)*\\d+$", "(?<!x)x+$", "^'(?:[^']|'')*'(?!')x", "^[ab]*c"];
    expect(await slow(good.map((source) => pattern(source)))).toEqual([]);
  },
  9 * minutes,
);

it.each([
  ["const a = /b+/g;", ["b+"]],
  ['const q = "x+"; const r = new RegExp("^" + q + y + "$", "u");', ["^x+name$"]],
  ["const q = String.raw`\\d`; RegExp(q + /e*/.source);", ["e*", "\\de*"]],
  ['new RegExp(["a", `b`].join("|"));', ["a|b"]],
  ["new RegExp(made());", ["name"]],
])("finds those of %j", (text, sources) => {
  const found = createPatterns(root)({ path: "x.ts", text });
  expect(found.map(({ source }) => source)).toEqual(sources);
});

it("texts lead up to each repetition and repeat what it takes", () => {
  const texts = [...hostileTexts("^say (?:[^']|'')*'$", "", 40)];
  expect(texts).toContain(`say ${"''".repeat(18)}`);
  expect(texts.every((text) => text.length <= 41)).toBe(true);
});
