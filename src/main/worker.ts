import { copy } from "../engine/index.ts";
import { runWorkerProcess } from "../worker/process.ts";

/** The Job's process. */
await runWorkerProcess(copy);
