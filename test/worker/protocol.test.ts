import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { optionsSchema } from "../../src/resources/options.ts";
import { exitCodes } from "../../src/worker/protocol.ts";
import { bundled } from "../bundle.ts";
import { asks, type PlayedOperator, type PlayedWork, playOperator } from "./operator.ts";
import { startWorker, type WorkerProcess } from "./process.ts";
import { until } from "./until.ts";

const entry = join(await bundled("scripted-worker"), "scripted-worker.js");
const password = "pl4nted/p ss%'\"é";
const source = { url: `mysql://shop:${encodeURIComponent(password)}@db.example:3306/shop` };
const target = { url: "postgres://shop:other-s3cret@pg.example:5432/shop" };

let operator: PlayedOperator;
let worker: WorkerProcess;

/** Plays the operator, then starts the worker with a script; `before` scripts the operator first. */
async function begin(
  script: string,
  before: (operator: PlayedOperator) => unknown = () => {},
  work: Partial<PlayedWork> = {},
) {
  operator = await playOperator({ source, target, ...work });
  await before(operator);
  const finished = join(mkdtempSync(join(tmpdir(), "w-")), "finished");
  const environment = {
    SCRIPT: script,
    FINISHED: finished,
    ROWFERRY_START_DEADLINE_SECONDS: "4",
    ROWFERRY_STOP_DEADLINE_SECONDS: "1",
  };
  worker = startWorker(entry, operator, environment);
  return { finished: () => existsSync(finished) };
}

afterEach(async () => {
  worker.signal("SIGKILL");
  await worker.ended;
  await operator.stop();
});

const code = async () => (await worker.ended).code;
const logged = () =>
  operator
    .progress()
    .at(-1)
    ?.log.map(({ message }) => message) ?? [];

describe("a copy that succeeds", () => {
  it("is told to the operator, then the target's checkpoint is dropped, then the worker ends well", async () => {
    const { finished } = await begin("complete");
    expect(await code()).toBe(exitCodes.completed);
    expect(finished()).toBe(true);
    const [outcome] = operator.outcomes();
    expect(outcome).toMatchObject({
      outcome: "completed",
      reason: "Verified",
      message:
        "Copied and verified 1 table with 1,000 rows. 1 source object was not copied or was changed: 1 event (see the report).",
      summary: { tables: 1, rows: 1000, reported: 1 },
      report: { type: "conversion", size: 12_346, progress: { phase: "finished", percent: 100 } },
    });
    expect(outcome?.report.progress?.table).toHaveLength(40);
    const archive = JSON.parse(gunzipSync(Buffer.from(outcome?.archive ?? "", "base64")).toString());
    expect(archive.report.made).toEqual([{ kind: "table", name: ["public", "t0"] }]);
    expect(archive.log.map((entry: { message: string }) => entry.message)).toContain(
      "Connected to db.example and pg.example",
    );
  });

  it("waits with the checkpoint until the operator has stored the result", async () => {
    const { finished } = await begin("complete", (played) => played.always("result", 503));
    await asks(operator, "result", 3);
    expect(finished()).toBe(false);
    operator.always("result", undefined);
    expect(await code()).toBe(exitCodes.completed);
    expect(finished()).toBe(true);
  });

  it("keeps the result in the target when the worker is stopped before it was stored", async () => {
    const { finished } = await begin("complete", (played) => played.always("result", "drop"));
    await asks(operator, "result");
    worker.signal("SIGTERM");
    expect(await code()).toBe(exitCodes.retry);
    expect(finished()).toBe(false);
  });

  it("stays a success when the checkpoint cannot be dropped, and says what is left", async () => {
    await begin("finish-fails");
    expect(await code()).toBe(exitCodes.completed);
    expect(worker.output()).toContain("_rowferry is left in the target");
  });
});

describe("getting work", () => {
  it("is tried again while the operator restarts", async () => {
    await begin("complete", (played) => played.next("work", "drop", 503, 500));
    expect(await code()).toBe(exitCodes.completed);
  });

  it("ends in time when the operator stays away, so that the Job starts another pod", async () => {
    await begin("complete", (played) => played.always("work", 503));
    expect(await code()).toBe(exitCodes.retry);
    expect(worker.output()).toContain("the operator gave no work in time");
  });

  it("stops at once when this pod is not the current run's", async () => {
    await begin("complete", (played) => played.always("work", 409));
    expect(await code()).toBe(exitCodes.superseded);
  });

  it("reads the token anew for each request, since the kubelet renews it", async () => {
    await begin("long");
    await asks(operator, "progress");
    operator.token("token-2");
    await until("a report with the new token", () => operator.asked.at(-1)?.token === "token-2");
    expect(operator.asked[0]?.token).toBe("token-1");
  });

  it("trusts no other CA", async () => {
    await begin("complete");
    const other = await playOperator({ source, target });
    const stranger = startWorker(entry, { ...operator, url: other.url }, { ROWFERRY_START_DEADLINE_SECONDS: "1" });
    expect((await stranger.ended).code).toBe(exitCodes.retry);
    expect(other.asked).toEqual([]);
    await other.stop();
  });

  it("takes the connection URL and the CA from a mounted Secret", async () => {
    const folder = mkdtempSync(join(tmpdir(), "secret-"));
    writeFileSync(join(folder, "url"), `${source.url}\n`);
    await begin("retryable", (played) => writeFileSync(join(folder, "ca.crt"), played.ca), { source: { folder } });
    expect(await code()).toBe(exitCodes.retry);
    expect(logged()).toContain("Connected to db.example by a CA, verify-full and pg.example");
  });

  it("takes the CA from the options too, and gives the engine every other option whole", async () => {
    const options = optionsSchema.parse({ include: ["a.*"], schemas: { shop: "public" }, drop: ["t"], jobs: 3 });
    await begin("options", (played) => played.answer({ options: { ...options, source_ca: played.ca } }));
    expect(await code()).toBe(exitCodes.completed);
    const log = operator.outcomes()[0]?.report.log.map(({ message }) => message) ?? [];
    expect(log).toContain("Connected to db.example by a CA, verify-full and pg.example");
    expect(log.map((message) => (message.startsWith("{") ? JSON.parse(message) : undefined))).toContainEqual(options);
  });

  it("knows Amazon's public CAs, where the certificate is to be verified", async () => {
    const url = `${source.url.replace("db.example", "db.cx.eu-west-1.rds.amazonaws.com")}?sslmode=verify-full`;
    await begin("complete", () => {}, { source: { url } });
    expect(await code()).toBe(exitCodes.completed);
    expect(worker.output()).toContain("amazonaws.com by a CA, verify-full and pg.example");
  });

  it("refuses a CA that is given twice, and says where", async () => {
    const folder = mkdtempSync(join(tmpdir(), "secret-"));
    writeFileSync(join(folder, "url"), source.url);
    await begin("complete", (played) => {
      writeFileSync(join(folder, "ca.crt"), played.ca);
      played.answer({ source: { folder }, options: optionsSchema.parse({ source_ca: played.ca }) });
    });
    expect(await code()).toBe(exitCodes.failed);
    expect(operator.outcomes()[0]?.message).toContain("remove either options.source_ca or ca.crt from the Secret");
  });

  it("a URL that is wrong fails the run for good and says which one and why", async () => {
    await begin("complete", () => {}, { target: { url: "oracle://shop:other-s3cret@ora/shop" } });
    expect(await code()).toBe(exitCodes.failed);
    expect(operator.outcomes()[0]?.message).toMatch(/^The target's connection URL is not accepted: .*mysql:/);
  });
});

describe("reports", () => {
  it("come at most once a second, each with the whole state", async () => {
    await begin("long");
    await asks(operator, "progress", 4);
    const times = operator.asked.filter(({ path }) => path === "progress").map(({ at }) => at);
    for (const [index, time] of times.slice(1).entries()) expect(time - (times[index] ?? 0)).toBeGreaterThan(950);
    const last = operator.progress().at(-1);
    expect(last).toMatchObject({ type: "conversion", size: 12_346, progress: { phase: "copying" } });
    expect(last?.progress?.etaSeconds).toBeGreaterThan(0);
    expect(logged()).toContain("Connected to db.example and pg.example");
  });

  it("go on when the operator was away for a while; the copy did not wait", async () => {
    await begin("long");
    await asks(operator, "progress");
    const before = operator.progress().at(-1)?.progress?.rows.done ?? 0;
    await operator.down();
    await until("the worker notices", () => worker.output().includes("the copy continues"));
    await operator.up();
    const count = operator.progress().length;
    await asks(operator, "progress", count + 1);
    expect(operator.progress().at(-1)?.progress?.rows.done).toBeGreaterThan(before + 20);
    await until("the worker says so", () => worker.output().includes("reached again"));
  });

  it("that are answered with 409 end the copy in order", async () => {
    await begin("long", (played) => played.next("progress", 200, 409));
    expect(await code()).toBe(exitCodes.superseded);
    expect(worker.output()).toContain("Ended in order");
    expect(operator.outcomes()).toEqual([]);
  });
});

describe("what is found before the first write", () => {
  it("is told in the reports and in the result", async () => {
    await begin("complete");
    expect(await code()).toBe(exitCodes.completed);
    expect(operator.outcomes()[0]?.report.assessment).toMatchObject({ ready: true, counts: { blockers: 0, notes: 1 } });
  });

  it("fails the run for good where it stands in the way, and nothing is copied", async () => {
    await begin("blocked");
    expect(await code()).toBe(exitCodes.failed);
    expect(operator.outcomes()[0]).toMatchObject({
      reason: "no_room",
      message: expect.stringContaining("the target's disk: 1 MB are free (make room)"),
      report: { assessment: { ready: false } },
    });
    expect(worker.output()).not.toContain("Connected to");
  });

  it("is no reason to fail where it cannot be told", async () => {
    await begin("assess-fails");
    expect(await code()).toBe(exitCodes.completed);
    expect(worker.output()).toContain("the copy starts without it: no such view");
  });
});

describe("a copy that fails", () => {
  it("for good: the result names the cause, and the worker ends when it is stored", async () => {
    const { finished } = await begin("fail", (played) => played.next("result", 503, "drop"));
    expect(await code()).toBe(exitCodes.failed);
    expect(operator.outcomes()).toHaveLength(3);
    expect(operator.outcomes().at(-1)).toMatchObject({ outcome: "failed", reason: "access_denied" });
    expect(finished()).toBe(false);
  });

  it("by something passing: another pod tries, and the cause stands in the log", async () => {
    await begin("retryable");
    expect(await code()).toBe(exitCodes.retry);
    expect(logged().at(-1)).toBe("The source went away (connection_lost); another pod tries again");
    expect(operator.outcomes()).toEqual([]);
  });

  it("by something passing: its last report says so, and what it read of an unfinished table counts a quarter", async () => {
    await begin("retryable", () => {}, { mostBytes: 100_000, finished: 500, reached: true });
    expect(await code()).toBe(exitCodes.retry);
    expect(operator.progress().at(-1)).toMatchObject({ finished: 500 + 10_000 / 4, isLast: true });
  });

  it("because no pod has reached the databases yet: the user hears of it at once", async () => {
    await begin("unreachable");
    expect(await code()).toBe(exitCodes.failed);
    expect(operator.outcomes().at(-1)).toMatchObject({ outcome: "failed", reason: "connection_timeout" });
  });

  it("because a database that was reached before is not now: it may come back, and another pod tries", async () => {
    await begin("unreachable", () => {}, { reached: true });
    expect(await code()).toBe(exitCodes.retry);
    expect(operator.outcomes()).toEqual([]);
  });

  it("because a successor holds the target: it costs the Job no retry", async () => {
    await begin("fenced");
    expect(await code()).toBe(exitCodes.superseded);
  });

  it("by a fault of the engine's own: the run fails with its words", async () => {
    await begin("bug");
    expect(await code()).toBe(exitCodes.failed);
    expect(operator.outcomes()[0]).toMatchObject({ reason: "internal_error" });
    expect(operator.outcomes()[0]?.message).toContain("TypeError");
  });

  it("by an error outside of any promise: the process ends and another pod tries", async () => {
    await begin("crash");
    expect(await code()).toBe(exitCodes.retry);
    expect(worker.output()).toContain("an error that nothing handled");
  });
});

describe("asked to stop", () => {
  it("the worker ends in order, and another pod goes on", async () => {
    await begin("long");
    await asks(operator, "progress");
    worker.signal("SIGTERM");
    expect(await code()).toBe(exitCodes.retry);
    expect(worker.output()).toContain("Ended in order");
    expect(logged().at(-1)).toContain("Stopping on request");
  });

  it("the worker ends in time even if the engine does not listen", async () => {
    await begin("deaf");
    await asks(operator, "progress");
    worker.signal("SIGTERM");
    expect(await code()).toBe(exitCodes.retry);
  });

  it("the worker ends while the operator cannot be reached", async () => {
    await begin("long");
    await asks(operator, "progress");
    await operator.down();
    worker.signal("SIGTERM");
    expect(await code()).toBe(exitCodes.retry);
  });
});

describe("a password", () => {
  it.each(["leak", "fail", "crash", "complete"])("is in nothing that leaves the worker (%s)", async (script) => {
    await begin(script);
    await worker.ended;
    const archives = operator
      .outcomes()
      .map(({ archive }) => gunzipSync(Buffer.from(archive ?? "H4sIAAAAAAAAAwMAAAAAAAAAAAA=", "base64")));
    const everything = [worker.output(), JSON.stringify(operator.asked), ...archives.map(String)].join("\n");
    const base64 = [0, 1, 2].map((n) =>
      Buffer.from("x".repeat(n) + password)
        .toString("base64")
        .slice(4, 12),
    );
    for (const form of ["pl4nted", "ss%", "ss%25", "other-s3cret", ...base64]) expect(everything).not.toContain(form);
    if (script !== "complete") expect(everything).toContain("[redacted]");
  });
});
