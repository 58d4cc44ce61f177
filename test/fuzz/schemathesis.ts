import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { needPackages } from "../../dev/debian/index.ts";
import { keep } from "../../dev/image/store.ts";
import { cacheFolder } from "../../dev/terminal/cache.ts";
import { openTerminal, type Terminal } from "../../dev/terminal/index.ts";
import { run } from "../../dev/terminal/run.ts";

/** schemathesis from PyPI, in a virtual environment of its own in the cache, at the versions of `driver/requirements.txt`. */

export const driver = join(import.meta.dirname, "driver");
const requirements = join(driver, "requirements.txt");
const oldest = "3.11";

/** What of Python the environment is made with and goes on using; undefined where there is none that fits. */
const pythonHere = (): Promise<string | undefined> =>
  run("python3", [
    "-c",
    `import sys, venv, ensurepip; assert sys.version_info >= (${oldest.replace(".", ", ")}); print(sys.version, sys.executable)`,
  ]).then(
    ({ stdout }) => stdout,
    () => undefined,
  );

/** The path of a Python that has schemathesis. */
export async function schemathesisPython(terminal: Terminal = openTerminal({ name: "schemathesis" })): Promise<string> {
  if ((await pythonHere()) === undefined) await needPackages(["python"], terminal);
  const python = await pythonHere();
  if (python === undefined) throw new Error(`python3 from ${oldest} on with venv is needed to fuzz: install it.`);
  const key = createHash("sha256").update(readFileSync(requirements)).update(python).digest("hex").slice(0, 16);
  const folder = await keep({ folder: join(cacheFolder(), "tools"), name: "schemathesis", key }, (part) =>
    terminal.step("Install schemathesis", async ({ log }) => {
      await run("python3", ["-m", "venv", part], { log });
      const words = ["install", "--no-deps", "--disable-pip-version-check", "--requirement", requirements];
      await run(join(part, "bin/python"), ["-m", "pip", ...words], { log });
    }),
  );
  return join(folder, "bin/python");
}
