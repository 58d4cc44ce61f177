import { expect, test, vi } from "vitest";
import { drawBar, openScreen } from "./screen.ts";

test("a bar is as full as its share, never fuller", () => {
  expect(drawBar(0, 10, "MB", 4)).toBe("[    ] 0/10 MB");
  expect(drawBar(5, 10, "", 4)).toBe("[##  ] 5/10");
  expect(drawBar(12, 10, "rows", 4)).toBe("[####] 12/10 rows");
  expect(drawBar(3, 0, "", 4)).toBe("[    ] 3/0");
});

const record = (interactive: boolean) => {
  vi.useFakeTimers();
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  const screen = openScreen({ write, width: () => 40, interactive, now: () => Date.now() });
  return { screen, text: () => text };
};

test("without a terminal a short step is one line, and a long one says that it runs and how far it is", () => {
  const { screen, text } = record(false);
  screen.begin("short").end("✓ short");
  const row = screen.begin("long");
  vi.advanceTimersByTime(3_000);
  row.bar(2, 4, "files");
  vi.advanceTimersByTime(10_000);
  row.end("✓ long");
  expect(text()).toBe("✓ short\n… long\n… long  [##########          ] 2/4 files\n✓ long\n");
  vi.useRealTimers();
});

test("on a terminal rows are redrawn below the lines, and cut at the terminal's width", () => {
  const { screen, text } = record(true);
  const row = screen.begin("a step whose name is longer than the terminal is wide");
  vi.advanceTimersByTime(300);
  screen.line("a line");
  row.end("✓ done");
  const control = String.fromCharCode(27);
  const drawn = text().split("\n");
  expect(drawn.at(-2)).toBe(`${control}[1A${control}[0J✓ done`);
  for (const line of drawn) expect(line.replace(`${control}[1A${control}[0J`, "").length).toBeLessThan(40);
  vi.useRealTimers();
});
