import { afterAll, afterEach } from "vitest";
import { restoreEnvironment } from "./environment.ts";
import { endFile, endTest } from "./file-end.ts";
import { forgetFailures, noteFailure } from "./patience.ts";

/** Setup of every file: files of a job share one process, and none notices the one before. */
restoreEnvironment();
forgetFailures();
afterEach(({ task }) => {
  if (task.result?.state === "fail") noteFailure();
});
afterEach(endTest);
afterAll(endFile);
