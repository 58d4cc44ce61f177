// Runs the other programs, each in Debian sid's root file system, in namespaces that end with it.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootFileSystem } from "../dev/image/root.ts";
import type { Terminal } from "../dev/terminal/index.ts";

export type Peers = { root: string; log(text: string): void; signal: AbortSignal };

export const openPeers = async (terminal: Terminal, signal: AbortSignal): Promise<Peers> => ({
  root: await rootFileSystem("peers", terminal, signal),
  log: terminal.log,
  signal,
});

/** No program takes this long at full size: one that does hangs. */
export const limitMs = 20 * 60_000;

// /mnt is a folder on this machine's own disk, so that a dump costs what it costs.
const mounts = [
  'mount --bind "$1" "$1"',
  'mount --rbind /dev "$1/dev"',
  'mount -t proc proc "$1/proc"',
  'mount -t tmpfs tmpfs "$1/tmp"',
  'mount --bind "$2" "$1/mnt"',
  'if [ -n "$3" ]; then touch "$2/in"; mount --bind "$3" "$1/mnt/in"; fi',
  'exec chroot "$1" /bin/sh -c "$4"',
].join(" && ");

/**
 * Runs a shell script among the peers' programs. `/mnt` is empty and goes afterwards; `/mnt/in` is `input`. Resolves with
 * the milliseconds that it took and what it wrote. `started` gets its process id. Rejects with its last words when it ends other
 * than with 0.
 */
export const inPeers = async (
  { root, log, signal }: Peers,
  script: string,
  {
    input = "",
    files = {},
    started,
  }: { input?: string; files?: Record<string, string>; started?: (pid: number) => void } = {},
): Promise<{ ms: number; output: string }> => {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-bench-"));
  const heredocs = Object.entries(files).map(
    ([name, text]) => `cat > /mnt/${name} <<'END_OF_FILE'\n${text}\nEND_OF_FILE\n`,
  );
  const begun = performance.now();
  try {
    signal.throwIfAborted();
    log(`$ ${script}`);
    const child = spawn(
      "setpriv",
      ["--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", mounts, "sh"].concat(
        [root, folder, input, `set -e\n${heredocs.join("")}${script}`],
      ),
      {
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
        env: { PATH: "/usr/lib/postgresql/18/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/tmp", LC_ALL: "C.UTF-8" },
      },
    );
    started?.(child.pid ?? 0);
    const stop = () => child.kill("SIGKILL");
    signal.addEventListener("abort", stop, { once: true });
    let overdue = false;
    const limit = setTimeout(() => {
      overdue = true;
      stop();
    }, limitMs);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-20_000);
        log(text);
      });
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }).finally(() => clearTimeout(limit));
    signal.removeEventListener("abort", stop);
    signal.throwIfAborted();
    const ms = performance.now() - begun;
    if (overdue) throw new Error(`it did not end within ${limitMs / 60_000} minutes`);
    if (code !== 0) throw new Error(`it ended with ${code}: ${output.trim().split("\n").slice(-4).join(" | ")}`);
    return { ms, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
