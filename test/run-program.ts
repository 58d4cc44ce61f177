import { type SpawnOptions, spawn } from "node:child_process";

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a program to its end; never rejects for its exit code. */
export function runProgram(
  command: string,
  args: readonly string[],
  { input = "", ...place }: { input?: string } & Pick<SpawnOptions, "cwd" | "env"> = {},
): Promise<Ended> {
  return new Promise((done, reject) => {
    const child = spawn(command, args, { ...place, stdio: ["pipe", "pipe", "pipe"] });
    const text = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text.out += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      text.err += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => done({ code, ...text }));
    // One that ends without reading it is judged by its exit code, not by the broken pipe.
    child.stdin.on("error", () => {}).end(input);
  });
}
