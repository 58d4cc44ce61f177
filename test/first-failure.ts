import { afterEach } from "vitest";
import { noteFailure } from "./patience.ts";

/** Setup of every file that waits for servers. */
afterEach(({ task }) => {
  if (task.result?.state === "fail") noteFailure();
});
