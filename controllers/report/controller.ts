import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  archiveIn,
  assertLeads,
  type Client,
  type Informer,
  kinds,
  type Recorder,
  type ReportBucket,
} from "../../src/cluster/index.ts";
import { type ReportBucketStatus, type ReportObject, reportFinalizer } from "../../src/resources/archive/archive.ts";
import { apiVersion } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { stopRuns } from "../payment/stop-runs.ts";
import { type Passed, unlessOutdated } from "../runtime/loop.ts";
import { type Act, decide } from "./decide.ts";

/** The effects of Migrations' reports in the installation's bucket: does what `decide` says, and says what failed. */
export interface ReportController {
  /** One pass over the Migration of this key (`namespace/name`). A failure of the bucket throws, so that it is tried again with back-off. */
  reconcile(key: string): Promise<Passed>;
  /** Of a change that the cache sees: whether it asks for a pass. */
  concerns(before: Migration | undefined, after: Migration | undefined): boolean;
}

interface ReportControllerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  /** True only while this process is the leader; asked before every effect. */
  leads: () => boolean;
  recorder: Recorder;
  migrations: Informer<Migration>;
  bucket: ReportBucket | undefined;
}

/** Field manager of `status.reportBucket`. */
const manager = "rowferry-report";

export function createReportController(options: ReportControllerOptions): ReportController {
  const { client, recorder, migrations, bucket } = options;
  const mayAct = () => assertLeads(options.leads);

  const say = (about: Migration, reason: string, note: string) =>
    recorder.record({ ...about, apiVersion, kind: "Migration" }, { type: "Warning", reason, note });

  const partOf = ({ status }: Migration): ReportBucketStatus => status?.reportBucket ?? { objects: [] };

  /** Each save carries the version that this pass saw. */
  async function save(migration: Migration, part: ReportBucketStatus): Promise<Migration> {
    if (isDeepStrictEqual(migration.status?.reportBucket, part)) return migration;
    mayAct();
    const { name, namespace, uid, resourceVersion } = migration.metadata;
    const metadata = { name, namespace, uid, resourceVersion };
    return client.applyStatus(kinds.migrations, { metadata, status: { reportBucket: part } }, manager);
  }

  async function withFinalizers(migration: Migration, finalizers: string[]): Promise<Migration> {
    mayAct();
    const { name, namespace, uid, resourceVersion } = migration.metadata;
    return client.mergePatch(kinds.migrations, namespace, name, { metadata: { uid, resourceVersion, finalizers } });
  }

  /** Asks the bucket. A refusal stands in the status and in an event, and is thrown. */
  async function asked(of: ReportBucket, live: Migration, reason: string, ask: () => Promise<void>): Promise<void> {
    mayAct();
    try {
      await ask();
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      // An event's text shows no URLs.
      const words = said.replaceAll(`the storage s3://${of.name}`, "it").replaceAll("s3://", "");
      const problem = `Bucket ${of.name}: ${words.slice(0, 900)}`;
      say(live, reason, problem);
      await save(live, { ...partOf(live), problem });
      throw error;
    }
  }

  async function store(of: ReportBucket, seen: Migration, { name, key }: Act & { kind: "store" }): Promise<void> {
    const { namespace, uid, finalizers = [] } = seen.metadata;
    const configMap = await client.get(kinds.configMaps, namespace, name);
    const bytes = archiveIn(configMap, uid);
    const objects = partOf(seen).objects.filter((one) => one.name !== name);
    if (bytes === undefined) {
      const pending = partOf(seen).objects.find((one) => one.name === name);
      // A pass before deleted it, and ended. Without such a pass it was deleted by hand.
      if (pending !== undefined) await save(seen, { objects: [...objects, withoutPending(pending)] });
      return;
    }
    const held = finalizers.includes(reportFinalizer)
      ? seen
      : await withFinalizers(seen, [...finalizers, reportFinalizer]);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const object: ReportObject = { name, bucket: of.name, key, bytes: bytes.length, sha256 };
    const live = await save(held, { ...partOf(held), objects: [...objects, { ...object, pending: true }] });
    await asked(of, live, "ReportNotStored", () => of.put(key, bytes));
    mayAct();
    await client.remove(kinds.configMaps, namespace, name, configMap?.metadata.uid ?? "");
    await save(live, { objects: [...objects, object] });
  }

  async function remove(of: ReportBucket, live: Migration, { objects }: Act & { kind: "remove" }): Promise<void> {
    for (const { key } of objects) await asked(of, live, "ReportNotRemoved", () => of.remove(key));
    const gone = new Set(objects.map(({ name }) => name));
    await save(live, { objects: partOf(live).objects.filter(({ name }) => !gone.has(name)) });
  }

  async function release(live: Migration, { objects, left }: Act & { kind: "release" }): Promise<void> {
    // Nothing is copied on while the bucket does not answer.
    await stopRuns(client, mayAct, live);
    if (bucket !== undefined)
      for (const { key } of objects) await asked(bucket, live, "ReportNotRemoved", () => bucket.remove(key));
    for (const { bucket: name, key } of left) {
      const note = `The report ${key} stays in the bucket ${name}, which this installation does not use: delete it there.`;
      say(live, "ReportLeft", note);
    }
    const kept = (live.metadata.finalizers ?? []).filter((one) => one !== reportFinalizer);
    await withFinalizers(live, kept);
  }

  async function pass({ metadata }: Migration): Promise<Passed> {
    const { namespace, name, uid } = metadata;
    const live = await client.get(kinds.migrations, namespace, name);
    if (live?.metadata.uid !== uid) return {};
    const act = decide(live, bucket);
    if (act?.kind === "release") await release(live, act);
    if (act?.kind === "store" && bucket !== undefined) await store(bucket, live, act);
    if (act?.kind === "remove" && bucket !== undefined) {
      await remove(bucket, live, act);
      // There may be one to store, too.
      return { lookAgain: 100 };
    }
    return {};
  }

  return {
    concerns(before, after) {
      const act = after && decide(after, bucket);
      return act !== undefined && !isDeepStrictEqual(act, before && decide(before, bucket));
    },
    async reconcile(key) {
      const [namespace = "", name = ""] = key.split("/");
      const migration = migrations.get(namespace, name);
      return migration === undefined ? {} : unlessOutdated(() => pass(migration));
    },
  };
}

const withoutPending = ({ pending: _pending, ...object }: ReportObject): ReportObject => object;
