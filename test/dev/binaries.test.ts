// Programs are made whole or not at all. The releases come from a server on this machine, and `go` is a stand-in that
// takes its time: what is tested is what stays when they fail or are interrupted. A real build belongs to the first `up`.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { download, internetReachable, sumFor } from "../../dev/cluster/binaries/download.ts";
import { folderOf, type Release, type Tool, tools } from "../../dev/cluster/binaries/tools.ts";
import { run } from "../../dev/terminal/run.ts";
import { clone } from "./sandbox.ts";

let folder: string;
let server: Server;
let base: string;
let files: Record<string, Buffer>;

const sum = (data: Buffer): string => createHash("sha256").update(data).digest("hex");
const step = { bar: () => {}, note: () => {}, log: () => {} };
const release = (file: string, member?: string): Release => ({
  program: "tool",
  url: `${base}/${file}`,
  sums: `${base}/sums`,
  ...(member === undefined ? {} : { member }),
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-binaries-"));
  files = {};
  server = createServer((request, response) => {
    const file = files[request.url?.slice(1) ?? ""];
    response.writeHead(file === undefined ? 404 : 200).end(request.method === "HEAD" ? undefined : file);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await new Promise((done) => server.close(done));
});

test("a release is taken when its sum is the published one, alone or out of an archive", async () => {
  const program = Buffer.from("#!/bin/sh\necho real\n");
  mkdirSync(join(folder, "linux-amd64"));
  writeFileSync(join(folder, "linux-amd64", "tool"), program);
  await run("tar", ["-czf", join(folder, "tool.tar.gz"), "-C", folder, "linux-amd64/tool"]);
  const archive = readFileSync(join(folder, "tool.tar.gz"));
  files = {
    tool: program,
    "tool.tar.gz": archive,
    sums: Buffer.from(`${sum(archive)}  tool.tar.gz\n${sum(program)} *tool\n`),
  };
  for (const [name, one] of [
    ["alone", release("tool")],
    ["packed", release("tool.tar.gz", "linux-amd64/tool")],
  ] as const) {
    const target = join(folder, name);
    mkdirSync(target);
    expect(await internetReachable([one])).toBe(true);
    await download([one], target, step);
    expect(readdirSync(target)).toEqual(["tool"]);
    expect((await run(join(target, "tool"), [])).stdout).toBe("real\n");
  }
});

test("a release whose sum is another, or not published, is not used", async () => {
  files = { tool: Buffer.from("tampered"), sums: Buffer.from(sum(Buffer.from("real"))) };
  await expect(download([release("tool")], folder, step)).rejects.toThrow("not used");
  expect(existsSync(join(folder, "tool"))).toBe(false);
  expect(() => sumFor("<html>not found</html>", "tool")).toThrow("No SHA-256 sum");
  delete files["sums"];
  expect(await internetReachable([release("tool")])).toBe(false);
});

test("a program's folder changes with its version, its platform and what it is built from", () => {
  const linux = { os: "linux", arch: "amd64" };
  const helm: Tool = tools.helm;
  const names = [
    folderOf(helm, linux),
    folderOf(helm, { os: "linux", arch: "arm64" }),
    folderOf({ ...helm, version: "3.19.1" }, linux),
    folderOf({ ...helm, source: { module: "example.com/helm@v3.19.0" } }, linux),
  ];
  expect(new Set(names).size).toBe(names.length);
});

// A `go` that writes as it goes and then waits for a file to appear.
const fakeGo = (): NodeJS.ProcessEnv => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const words = `#!/bin/sh
[ "$1" = env ] && { echo go1.26.0; exit; }
echo "$$" >> ${folder}/running
echo half > "$GOBIN/kubeconform"
until [ -e ${folder}/go-on ]; do sleep 0.05; done
echo whole > "$GOBIN/kubeconform"
`;
  writeFileSync(join(bin, "go"), words, { mode: 0o755 });
  const proxy = "http://127.0.0.1:9";
  return {
    ...process.env,
    PATH: `${bin}:${process.env["PATH"]}`,
    ROWFERRY_CACHE: folder,
    NODE_USE_ENV_PROXY: "1",
    HTTPS_PROXY: proxy,
  };
};

const getTool = (env: NodeJS.ProcessEnv, signal?: AbortSignal) => {
  const from = (path: string): string => JSON.stringify(join(clone, path));
  const file = join(folder, "get.ts");
  writeFileSync(
    file,
    `import { program } from ${from("dev/cluster/binaries/index.ts")};
import { runCommand } from ${from("dev/terminal/command.ts")};
await runCommand({ name: "get", about: "" }, async ({ terminal, signal }) => {
  console.log(await program("kubeconform", "kubeconform", { terminal, signal }));
  return 0;
});`,
  );
  return run(process.execPath, [file], { env, ...(signal === undefined ? {} : { signal }) });
};

const builds = (): number[] =>
  existsSync(join(folder, "running"))
    ? readFileSync(join(folder, "running"), "utf8").trim().split("\n").map(Number)
    : [];
const until = (met: () => boolean): Promise<void> =>
  expect.poll(met, { timeout: 10_000, interval: 20 }).toBe(true) as Promise<void>;
const cached = (): string[] => (existsSync(join(folder, "binaries")) ? readdirSync(join(folder, "binaries")) : []);

test("an interrupted build leaves nothing running and nothing half-cached", async () => {
  const env = fakeGo();
  const abort = new AbortController();
  const ended = getTool(env, abort.signal).catch((error: Error) => error);
  await until(() => builds().length === 1);
  expect(cached()).toHaveLength(1);
  abort.abort();
  expect(await ended).toBeInstanceOf(Error);
  await until(() => builds().every((pid) => !existsSync(`/proc/${pid}`)));
  await until(() => cached().length === 0);
});

test("what a killed build left is removed by the next, and two at once build once", async () => {
  const env = fakeGo();
  const name = folderOf(tools.kubeconform, {
    os: process.platform,
    arch: process.arch === "x64" ? "amd64" : process.arch,
  });
  mkdirSync(join(folder, "binaries", `${name}.part99`), { recursive: true });
  const both = [getTool(env), getTool(env)];
  await until(() => builds().length === 1);
  writeFileSync(join(folder, "go-on"), "");
  const paths = await Promise.all(both);
  expect(builds()).toHaveLength(1);
  expect(cached()).toEqual([name]);
  for (const { stdout } of paths) expect(readFileSync(stdout.trim(), "utf8")).toBe("whole\n");
});

test("where neither release nor Go is to be had, the error says what to do", async () => {
  const env = { ...fakeGo(), PATH: "/nowhere" };
  const failure = await getTool(env).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining("Install Go 1.24 or newer") });
});
