import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { installed } from "../../src/resources/crd/installed.ts";

/** The examples of docs/, taken from the pages and run as they are there. */

const folder = join(import.meta.dirname, "../../docs");

/** By file name, such as `copy.sh`. */
export const examples = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .flatMap((page) =>
      [...readFileSync(join(folder, page), "utf8").matchAll(/<!-- example: (\S+) -->\n\n```\w+\n([\s\S]*?)```/g)].map(
        ([, name = "", text = ""]) => [name, { page, text }],
      ),
    ),
);

/** Name, program and ending of a file. */
export const languages = [
  ["curl", "bash", "sh"],
  ["TypeScript", process.execPath, "mts"],
  ["Python", "python3", "py"],
] as const;

export interface Running {
  /** What was printed so far. */
  said(): { out: string; err: string };
  /** Its exit code. */
  ended: Promise<number | null>;
}

/** Starts one against the installation whose files lie in `folder`. */
export function startExample(
  program: string,
  name: string,
  { folder, baseUrl }: { folder: string; baseUrl: string },
  env: Record<string, string>,
): Running {
  const ca = join(folder, installed.apiTls, "ca.crt");
  const cwd = mkdtempSync(join(tmpdir(), "example-"));
  writeFileSync(join(cwd, name), examples.get(name)?.text ?? "");
  const child = spawn(program, [name], {
    cwd,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: cwd,
      CURL_CA_BUNDLE: ca,
      NODE_EXTRA_CA_CERTS: ca,
      SSL_CERT_FILE: ca,
      ROWFERRY_URL: baseUrl,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { said: () => ({ out, err }), ended };
}

/** What it prints: on stdout, and where it ends with another code than 0, on stderr too. */
export async function runExample(
  program: string,
  name: string,
  at: { folder: string; baseUrl: string },
  env: Record<string, string>,
  ends = 0,
): Promise<string> {
  const { said, ended } = startExample(program, name, at, env);
  const code = await ended;
  const { out, err } = said();
  expect(code, err).toBe(ends);
  return ends === 0 ? out : out + err;
}
