// A lock between processes that dies with its owner: a child holds it by flock(1) until its standard input ends.
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Runs `work` while no other process that uses the same file does. `waiting` is called once if another holds it.
 * Not reentrant.
 */
export const withLock = async <T>(file: string, work: () => Promise<T>, waiting?: () => void): Promise<T> => {
  await mkdir(dirname(file), { recursive: true });
  const script = "flock --nonblock 9 || { echo waiting; flock 9; }; echo held; cat > /dev/null";
  const child = spawn("sh", ["-c", `exec 9>"$1"; ${script}`, "sh", file], {
    stdio: ["pipe", "pipe", "inherit"],
    // Ctrl-C reaches the whole foreground group; the lock must outlive the clean-up that it starts.
    detached: true,
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`flock on ${file} ended with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("waiting")) waiting?.();
      if (text.includes("held")) resolve();
    });
  });
  try {
    return await work();
  } finally {
    child.stdin.end();
    await closed;
  }
};
