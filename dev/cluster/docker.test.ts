// With stand-ins for `docker`, as real programs: how Docker says that it is not there, and how two of its commands are piped.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type DockerState, dockerPipe, dockerState, silentLine } from "./docker.ts";

// Each starts programs, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

let folder: string;
const path = process.env["PATH"] ?? "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-docker-"));
  // No `docker` of this machine's own.
  const others = path.split(":").filter((one) => one === "/usr/bin" || one === "/bin");
  process.env["PATH"] = [folder, ...others].join(":");
});

afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true, force: true });
});

const docker = (words: string): void => {
  writeFileSync(join(folder, "docker"), `#!/bin/sh\n${words}\n`);
  chmodSync(join(folder, "docker"), 0o755);
};

const states: [string, string, DockerState][] = [
  ["answers", "echo 28.0.0", { state: "answers" }],
  [
    "has no engine",
    "echo 'Cannot connect to the Docker daemon at unix:///x. Is it running?' >&2; exit 1",
    { state: "silent", why: "Cannot connect to the Docker daemon at unix:///x. Is it running?" },
  ],
  ["prints an empty version", "echo; echo 'ERROR: no daemon' >&2", { state: "silent", why: "ERROR: no daemon" }],
  ["never answers", "exec sleep 60", { state: "silent", why: "no answer within 0.3 s" }],
];

test.each(states)("a Docker that %s is told apart", async (_, words, state) => {
  docker(words);
  expect(await dockerState(() => {}, undefined, { quietMs: 10_000, patienceMs: 300 })).toEqual(state);
});

test("a machine without Docker is told apart from an engine that does not answer", async () => {
  process.env["PATH"] = folder;
  expect(await dockerState(() => {})).toEqual({ state: "absent" });
});

test("an engine that just starts is waited for, with a line that says so", async () => {
  docker("sleep 0.3; echo 28.0.0");
  const lines: string[] = [];
  const found = await dockerState((line) => lines.push(line), undefined, { quietMs: 50, patienceMs: 60_000 });
  expect(found).toEqual({ state: "answers" });
  expect(lines).toEqual(["Docker is installed but has not answered yet. Waiting up to 60 s for it."]);
});

test("an interrupt ends the wait for an engine", async () => {
  docker("exec sleep 60");
  const abort = new AbortController();
  const asked = dockerState(() => {}, abort.signal);
  abort.abort(new Error("interrupted by SIGINT"));
  await expect(asked).rejects.toThrow("interrupted by SIGINT");
});

test.each([
  [
    "permission denied while trying to connect to the Docker daemon socket",
    "npm run down",
    "add your account to the group `docker`, log in again, run `npm run down`, then run the command again.",
  ],
  ["Cannot connect", "npm run down -- --name a", "start its engine, run `npm run down -- --name a`, then run the"],
  ["Cannot connect", null, "To use Docker, start its engine, then run the command again."],
])("the line about an engine that says %o, for a cluster that %o removes, names the next steps", (why, down, next) => {
  const line = silentLine(why, down);
  expect(line).toContain(why);
  expect(line).toContain(next);
});

const pipe = (): { log: string[]; ended: Promise<void> } => {
  const log: string[] = [];
  return { log, ended: dockerPipe(["save", "x"], ["load"], (text) => log.push(text)) };
};

test("what one docker command prints is the other's input", async () => {
  docker(`case $1 in save) echo an image ;; load) cat > ${folder}/loaded; echo loaded; esac`);
  const { log, ended } = pipe();
  await ended;
  expect(log).toEqual(["$ docker save x | docker load", "loaded\n"]);
});

test.each([
  ["first", "case $1 in save) echo 'no such image' >&2; exit 1 ;; load) cat > /dev/null; esac", "no such image"],
  ["second", "case $1 in save) exec yes ;; load) echo 'no space left' >&2; exit 1; esac", "no space left"],
])("a pipe whose %s command fails ends both, with its words", async (_, words, said) => {
  docker(words);
  await expect(pipe().ended).rejects.toThrow(`docker save | docker load failed: ${said}`);
});

test("a pipe without Docker rejects, and leaves no rejection unhandled", async () => {
  process.env["PATH"] = folder;
  await expect(pipe().ended).rejects.toThrow("docker save | docker load failed: spawn docker ENOENT");
});

test("an interrupt ends a pipe", async () => {
  docker("case $1 in save) exec yes ;; load) cat > /dev/null; esac");
  const abort = new AbortController();
  const ended = dockerPipe(["save", "x"], ["load"], () => {}, abort.signal);
  abort.abort(new Error("interrupted by SIGINT"));
  await expect(ended).rejects.toThrow("interrupted by SIGINT");
});
