import { join } from "node:path";
import type { Terminal } from "../../dev/terminal/index.ts";
import { pythonWith } from "../python.ts";

/** schemathesis from PyPI, at the versions of `driver/requirements.txt`. */

export const driver = join(import.meta.dirname, "driver");

/** The path of a Python that has schemathesis. */
export const schemathesisPython = (terminal?: Terminal): Promise<string> =>
  pythonWith("schemathesis", join(driver, "requirements.txt"), terminal);
