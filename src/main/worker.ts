import { assess } from "../engine/assess/index.ts";
import { copy } from "../engine/index.ts";
import { foundRuns } from "../engine/run/reset.ts";
import { runWorkerProcess } from "../worker/process.ts";
import { keepCoresEmpty } from "./core-files.ts";

/** The Job's process. The client of S3 is loaded only for a backup, since it takes memory that no copy needs. */
await keepCoresEmpty(console.error);
await runWorkerProcess({ copy, assess, foundRuns }, () => import("../backup/index.ts"));
