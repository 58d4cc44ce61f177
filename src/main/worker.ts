import { assess } from "../engine/assess.ts";
import { copy } from "../engine/index.ts";
import { foundRun } from "../engine/reset.ts";
import { runWorkerProcess } from "../worker/process.ts";

/** The Job's process. */
await runWorkerProcess({ copy, assess, foundRun });
