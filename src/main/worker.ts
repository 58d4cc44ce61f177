import { removeRun, restoreBackup, storageOf, takeBackup } from "../backup/index.ts";
import { assess } from "../engine/assess.ts";
import { copy } from "../engine/index.ts";
import { foundRuns } from "../engine/reset.ts";
import { runWorkerProcess } from "../worker/process.ts";
import { keepCoresEmpty } from "./core-files.ts";

/** The Job's process. */
await keepCoresEmpty(console.error);
await runWorkerProcess({ copy, assess, foundRuns }, { takeBackup, restoreBackup, removeRun, storageOf });
