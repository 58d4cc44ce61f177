import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { poolVariable } from "../servers/pool.ts";
import { nameServer } from "./corpus/case.ts";

/**
 * A network namespace of its own in which every address is local, so that what is dialled arrives there and nowhere else: it has no
 * link but its loopback. Names are asked of the tests' own server, with the search list of a pod.
 */

const files = {
  "resolv.conf": `nameserver ${nameServer}\nsearch default.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5 timeout:1 attempts:1\n`,
  hosts: "127.0.0.1 localhost\n::1 localhost ip6-localhost\n10.244.0.5 canary-host\n",
  "nsswitch.conf": "hosts: files dns\n",
};

const enter = `
set -e
for file in ${Object.keys(files).join(" ")}; do mount --bind "$1/$file" "/etc/$file"; done
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
shift
exec "$@"
`;

/** Runs a program of this folder there; gives each line that it prints to `line`. Errors: its own words when it fails. */
export async function runInNamespace(program: string, line: (text: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-guard-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const command = [process.execPath, join(import.meta.dirname, program)];
    const child = spawn(
      "unshare",
      [
        "--net",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        "sh",
        "-c",
        enter,
        "sh",
        folder,
        ...command,
      ],
      // The servers that the run lends are on the loopback address outside, which is another one here.
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, [poolVariable]: undefined } },
    );
    let words = "";
    child.stderr.on("data", (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-4000);
    });
    createInterface(child.stdout).on("line", line);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${words}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
