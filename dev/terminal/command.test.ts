// Commands as processes of their own, since they set handlers of signals and the exit code.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// Each starts programs, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "rowferry-command-"));
});

afterEach(() => rmSync(cache, { recursive: true, force: true }));

/** Runs a command whose work is these words; a line "ready" on standard output is answered by SIGINT. */
const play = (words: string): Promise<{ code: number | null; shown: string }> => {
  const from = (file: string): string => JSON.stringify(join(import.meta.dirname, file));
  const script = `import { setTimeout as sleep } from "node:timers/promises";
    import { runCommand } from ${from("command.ts")};
    import { afterFailure } from ${from("failure.ts")};
    import { together } from ${from("together.ts")};
    await runCommand({ name: "trial", about: "" }, async ({ terminal, signal }) => { ${words} });`;
  const env = { ...process.env, ROWFERRY_CACHE: cache };
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], { env });
  let shown = "";
  child.stdout.on("data", () => child.kill("SIGINT"));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  return new Promise((done) => child.on("close", (code) => done({ code, shown })));
};

const cleaning = `afterFailure(error, 'Cluster "a" was not removed', "Run down.", async () => { CLEAN })`;
const interrupted = (clean: string): string => `
  const slow = async (signal) => {
    console.log("ready");
    try { await sleep(60_000, undefined, { signal }); } catch (error) { await ${cleaning.replace("CLEAN", clean)}; }
  };
  await together(signal, [slow, (signal) => sleep(60_000, undefined, { signal })]);`;

test("a cleanup that fails after Ctrl-C is shown with its cause, its log and the next step", async () => {
  const { code, shown } = await play(interrupted('throw new Error("EBUSY: resource busy")'));
  expect(code).toBe(130);
  const lines = shown.trimEnd().split("\n");
  expect(lines[0]).toBe("  SIGINT: cleaning up");
  expect(lines.at(-3)).toBe('✗ trial: Cluster "a" was not removed: EBUSY: resource busy');
  expect(lines.at(-2)).toMatch(/^ {2}log: {2}\//);
  expect(lines.at(-1)).toBe("  next: Run down.");
});

test("an interrupt after which everything was cleaned up shows no failure", async () => {
  expect(await play(interrupted(""))).toEqual({ code: 130, shown: "  SIGINT: cleaning up\n" });
});

test("a cleanup that fails after a failure is shown with it", async () => {
  const words = `await together(signal, [async () => {
    try { throw new Error("no image"); } catch (error) { await ${cleaning.replace("CLEAN", 'throw new Error("EBUSY")')}; }
  }]);`;
  const { code, shown } = await play(words);
  expect(code).toBe(1);
  expect(shown).toContain('✗ trial: Cluster "a" was not removed: EBUSY, after: no image\n');
  expect(shown).toContain("next: Run down.\n");
});

test("a failure after which everything was cleaned up is the failure", async () => {
  const words = `try { throw new Error("no image"); } catch (error) { await ${cleaning.replace("CLEAN", "")}; }`;
  expect(await play(words)).toMatchObject({ code: 1, shown: expect.stringContaining("✗ trial: no image\n") });
});

test("a log that cannot be written is named once, and the command goes on", async () => {
  writeFileSync(join(cache, "logs"), "a file where the folder should be");
  const { code, shown } = await play('terminal.log("one"); terminal.log("two"); terminal.line("goes on");');
  expect(code).toBe(0);
  expect(shown).toMatch(/^ {2}The log cannot be written: EEXIST.*\ngoes on\n$/);
});

test("a log and its folder are their user's alone", async () => {
  await play('terminal.log("secret"); terminal.log("more");');
  const [name = ""] = readdirSync(join(cache, "logs"));
  expect(readFileSync(join(cache, "logs", name), "utf8")).toBe("secret\nmore\n");
  expect(statSync(join(cache, "logs")).mode & 0o777).toBe(0o700);
  expect(statSync(join(cache, "logs", name)).mode & 0o777).toBe(0o600);
});
