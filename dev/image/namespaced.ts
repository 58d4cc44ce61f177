// A command in mount and process namespaces of its own: when it is stopped or this process dies, all that it started and
// mounted goes with it.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type NamespacedOptions = {
  log: (text: string) => void;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
};

/**
 * Rejects when the command ends other than with 0, and, once every process of it is gone, with the signal's reason. TMPDIR is a
 * folder of the command's own, removed at its end: mmdebstrap leaves one with keys there.
 */
export const runNamespaced = async (args: readonly string[], options: NamespacedOptions): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-namespaced-"));
  try {
    await play(args, { ...options, env: { ...options.env, TMPDIR: folder } });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

const play = (args: readonly string[], { log, env, signal }: NamespacedOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    log(`$ ${args.join(" ")}`);
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const child = spawn("setpriv", ["--pdeathsig", "KILL", "unshare", ...namespaces, ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
      // The terminal's Ctrl-C comes through the signal, once the caller has decided what it means.
      detached: true,
    });
    let last = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        last = (last + text).slice(-500);
        log(text);
      });
    }
    // unshare blocks SIGTERM while it waits; its end takes the namespace's first process, and the kernel takes the rest.
    const stop = () => child.kill("SIGKILL");
    signal?.addEventListener("abort", stop, { once: true });
    child.once("error", reject);
    child.once("close", (code, by) => {
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) reject(signal.reason);
      else if (code === 0) resolve();
      else
        reject(
          new Error(
            `${args[0]} ${code === null ? `was ended by ${by}` : `failed with exit code ${code}`}: ${last.trim().split("\n").slice(-3).join(" | ")}`,
          ),
        );
    });
  });
