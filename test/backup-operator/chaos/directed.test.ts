import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../operator/control-plane.ts";
import { uploadsIn } from "../bucket.ts";
import { type Backups, openBackups } from "./scene.ts";

/** Kills at chosen points. The broken builds of test/mutants/list/backups.ts are violations here. */

let backups: Backups;

beforeAll(async () => {
  backups = await openBackups();
});
afterAll(() => backups?.stop());

test("a pod that is killed while it uploads leaves nothing once the next one has completed the run", async () => {
  const { scene, way } = backups;
  // A part takes seconds, so that the upload is seen.
  way.meet((operation) => (operation === "UploadPart" ? { slow: 20 } : undefined));
  const run = await backups.take();
  await until("an upload to be open", async () => (await uploadsIn(scene.s3)).length > 0);
  for (const pod of scene.node.running()) scene.node.kill(pod);
  way.meet(() => undefined);
  await backups.untilEnded("BackupRun", run);
  expect(await backups.verdict()).toEqual([]);
});

test("an operator that is killed when retention begins removes the older run with its parts, and no other", async () => {
  let newest = "";
  // One more than the schedule keeps.
  for (let taken = 0; taken < 3; taken++) {
    newest = await backups.take();
    await backups.untilEnded("BackupRun", newest);
  }
  await backups.scene.killOperator();
  expect(await backups.verdict()).toEqual([]);
  expect(await backups.newest()).toBe(newest);
});
