import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildImages, type Images } from "../../dev/image/index.ts";
import { writeLayer } from "../../dev/image/layer.ts";
import { rootFileSystem } from "../../dev/image/root.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { CommandError, run } from "../../dev/terminal/run.ts";

const terminal = openTerminal({ name: "image-test" });
const folder = mkdtempSync(join(tmpdir(), "image-"));
let images: Images;

beforeAll(async () => {
  images = await buildImages({ terminal });
});
afterAll(() => {
  terminal.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the application's image", () => {
  const root = join(folder, "root");
  let config: { config: { User: string; Env: string[] }; rootfs: { diff_ids: string[] } };

  /** Runs a command as a container would: as the image's user, in its environment, on a read-only root. */
  const inside = (command: string) => {
    const mounts =
      'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount --rbind /dev "$1/dev" && mount -t proc p "$1/proc"';
    const script = `${mounts} && exec chroot --userspec="$2" "$1" /bin/sh -c "$3"`;
    const env = Object.fromEntries(config.config.Env.map((entry) => entry.split("=") as [string, string]));
    return run(
      "/usr/bin/unshare",
      ["--mount", "--pid", "--fork", "/bin/sh", "-c", script, "sh", root, config.config.User, command],
      {
        env: { ...env, PATH: `${env["PATH"]}:/usr/sbin:/bin` },
      },
    );
  };

  beforeAll(async () => {
    const layout = join(folder, "layout");
    mkdirSync(layout);
    mkdirSync(root);
    await run("tar", ["-xf", images.app.archive, "-C", layout]);
    const blob = (digest: string) => join(layout, "blobs", digest.replace(":", "/"));
    const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
    const manifest = read(blob(read(join(layout, "index.json")).manifests[0].digest));
    config = read(blob(manifest.config.digest));
    for (const layer of manifest.layers) await run("tar", ["--zstd", "-xpf", blob(layer.digest), "-C", root]);
  });

  test("takes less than 400 MB unpacked", async () => {
    const { stdout } = await run("du", ["-sb", root]);
    expect(Number(stdout.split("\t")[0])).toBeLessThan(400e6);
  });

  test("runs the Node that package.json names, and PostgreSQL's programs of 18.6 or newer", async () => {
    const wanted = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).devDependencies
      .node;
    expect((await inside("id -u; node --version")).stdout).toBe(`65532\nv${wanted}\n`);
    for (const program of ["pg_dump", "pg_restore"]) {
      const { stdout } = await inside(`${program} --version`);
      expect(Number(/(\d+\.\d+)/.exec(stdout)?.[1])).toBeGreaterThanOrEqual(18.6);
    }
  });

  test("knows the public authorities and UTF-8", async () => {
    expect(readFileSync(join(root, "etc/ssl/certs/ca-certificates.crt"), "utf8")).toContain("BEGIN CERTIFICATE");
    expect((await inside("locale charmap")).stdout).toBe("UTF-8\n");
  });

  test("lets nothing become another user", async () => {
    expect((await run("find", [root, "-xdev", "-perm", "/6000", "-type", "f"])).stdout).toBe("");
  });

  test.each(["operator", "worker"])("starts %s.js, which asks for its settings", async (name) => {
    const error = await inside(`node /app/${name}.js`).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CommandError);
    const { stdout, stderr } = error as CommandError;
    expect(stdout + stderr).toMatch(/environment is not right/);
  });

  test("has the same application layer whenever it is packed from the same files", async () => {
    const again = await writeLayer({ folder: join(root, "app"), under: "app" }, join(folder, "again"));
    expect(again.diffId).toBe(config.rootfs.diff_ids.at(-1));
  });
});

describe("building a root file system", () => {
  const module = new URL("../../dev/image/root.ts", import.meta.url).href;
  const terminalModule = new URL("../../dev/terminal/index.ts", import.meta.url).href;

  const processesOf = (path: string) =>
    readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(path);
        } catch {
          return false;
        }
      });

  const until = async (condition: () => boolean, what: string) => {
    const deadline = performance.now() + 60_000;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`${what} did not come true in a minute`);
      await pause(20);
    }
  };

  test("leaves no process and nothing half-cached when it is killed", async () => {
    const cache = join(folder, "killed");
    const roots = join(cache, "images", "roots");
    const script = `
      import { rootFileSystem } from ${JSON.stringify(module)};
      import { openTerminal } from ${JSON.stringify(terminalModule)};
      await rootFileSystem("databases", openTerminal({ name: "killed" }));
    `;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      env: { ...process.env, ROWFERRY_CACHE: cache },
      stdio: "ignore",
    });
    try {
      // What mmdebstrap makes before it asks the network for anything.
      const begun = () => existsSync(roots) && readdirSync(roots).some((name) => existsSync(join(roots, name, "var")));
      await until(begun, "the build");
      expect(processesOf(roots)).not.toEqual([]);
    } finally {
      child.kill("SIGKILL");
    }
    await until(() => processesOf(roots).length === 0, "the end of the build's processes");
    expect(readdirSync(roots).every((name) => name.endsWith(".part"))).toBe(true);
    expect(readFileSync("/proc/mounts", "utf8")).not.toContain(roots);
  });

  test("leaves nothing when it is interrupted", async () => {
    const cache = join(folder, "stopped");
    const before = process.env["ROWFERRY_CACHE"];
    process.env["ROWFERRY_CACHE"] = cache;
    const stop = new AbortController();
    const roots = join(cache, "images", "roots");
    try {
      const building = rootFileSystem("databases", terminal, stop.signal).catch((error: unknown) => error);
      await until(() => processesOf(roots).length > 0, "the build");
      stop.abort(new Error("asked to stop"));
      expect(await building).toMatchObject({ message: "asked to stop" });
    } finally {
      if (before === undefined) delete process.env["ROWFERRY_CACHE"];
      else process.env["ROWFERRY_CACHE"] = before;
    }
    expect(processesOf(roots)).toEqual([]);
    expect(readdirSync(roots)).toEqual([]);
  });
});
