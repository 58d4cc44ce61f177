import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import {
  backupResponseSchema,
  backupSchema,
  backupsSchema,
  oneRunSchema,
  runResponseSchema,
  runsSchema,
} from "../../src/requests/backups/shapes.ts";
import { kinds } from "../../src/resources/objects.ts";
import { completedRun, completedStatus, database_url, planted, runNow, runStatus, schedule } from "./backups-play.ts";
import { admin, api, kubectl, type Person, signUp, startReplica } from "./world.ts";

/** Backup schedules and their runs by REST. The API server is real; runs are played by writing their status, as the operator does. */

let ann: Person;
let bob: Person;
beforeAll(async () => {
  [ann, bob] = [await signUp(), await signUp()];
});

const unknown = "00000000-0000-4000-8000-000000000000";
const get = (path: string, person = ann, replica = 0) => api(path, { token: person.token, replica });
const stored = (id: string, person = ann) => admin.get(kinds.backupSchedules, person.namespace, id);

test("a schedule points at a database, daily unless another interval is set, and is shown at once on each replica", async () => {
  const made = await api("/api/backups", { token: ann.token, body: { database_url, name: "Shop" } });
  expect(made.status, made.text).toBe(201);
  expect(backupResponseSchema.strict().parse(made.body)).toEqual(made.body);
  const { id } = made.body.backup;
  expect(made.headers.location).toBe(`/api/backups/${id}`);
  expect(made.body.backup).toMatchObject({ name: "Shop", status: "active", interval: "daily", cron: null });
  for (const replica of [1, 0]) {
    const one = await get(`/api/backups/${id}`, ann, replica);
    expect(one.status).toBe(200);
    expect(backupSchema.strict().parse(one.body)).toEqual(one.body);
    const all = await get("/api/backups", ann, replica);
    expect(backupsSchema.strict().parse(all.body)).toEqual(all.body);
    expect(all.body.data.map((each: { id: string }) => each.id)).toContain(id);
  }
  expect((await stored(id))?.spec).toMatchObject({
    interval: "daily",
    timeZone: "Etc/UTC",
    verification: { policy: "Weekly", maxAgeDays: 10 },
    deletionPolicy: "Keep",
  });
  await api(`/api/backups/${id}`, { method: "DELETE", token: ann.token });
});

test("a schedule is created right after sign-up, and every field of it is kept", async () => {
  const carla = await signUp();
  const body = {
    cron: "30 2 * * 1-5",
    time_zone: "Europe/Berlin",
    start_deadline_seconds: 3600,
    retention: { keep_last: 3, daily: 7, monthly: 12 },
    verification: { policy: "each_run", max_age_days: 3 },
    deletion_policy: "delete",
  };
  const id = await schedule(carla, { ...body, suspend: true });
  const one = await get(`/api/backups/${id}`, carla);
  expect(one.body).toMatchObject({
    ...body,
    status: "suspended",
    interval: null,
    retention: { keep_last: 3, daily: 7, weekly: null, monthly: 12, yearly: null },
  });
});

describe("an interval below a day is refused with words", () => {
  test.each([
    [{ interval: "hourly" }, "interval", "daily is the shortest interval"],
    [{ interval: "12h" }, "interval", "daily is the shortest interval"],
    [{ cron: "0 * * * *" }, "cron", "daily is the shortest interval"],
    [{ cron: "*/5 2 * * *" }, "cron", "daily is the shortest interval"],
    [{ cron: "0 2,14 * * *" }, "cron", "daily is the shortest interval"],
    [{ cron: "0 0-23 * * *" }, "cron", "daily is the shortest interval"],
    [{ cron: "@hourly" }, "cron", "daily is the shortest interval"],
    [{ interval: "daily", cron: "0 2 * * *" }, "cron", "not both"],
    [{ time_zone: "Europe/Atlantis" }, "time_zone", "IANA"],
    [{ time_zone: "Europe/../passwd" }, "time_zone", "IANA"],
  ])("%j", async (body, field, words) => {
    const answer = await api("/api/backups", { token: ann.token, body: { database_url, ...body } });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" } });
    const error = answer.body.errors.find((one: { field: string }) => one.field === field);
    expect(error?.message, answer.text).toContain(words);
  });
});

test("URLs and credentials are write-only: sealed in the cluster, and in no answer", async () => {
  const storage = {
    endpoint: "http://127.0.0.1:7070",
    bucket: "backups",
    prefix: "rowferry/shop",
    access_key_id: `${planted}-id`,
    secret_access_key: `${planted}-key`,
    session_token: `${planted}-session`,
  };
  const answers = [await api("/api/backups", { token: ann.token, body: { database_url, storage } })];
  const { id } = answers[0]?.body.backup ?? {};
  const path = `/api/backups/${id}`;
  answers.push(await get(path), await get("/api/backups"), await get(`${path}/runs`));
  answers.push(await api(path, { method: "PATCH", token: ann.token, body: { database_url, storage } }));
  answers.push(await api(`${path}/run`, { method: "POST", token: ann.token }));
  const object = await stored(id);
  answers.push(await api(path, { method: "DELETE", token: ann.token }));
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 202, 200]);
  for (const { text } of answers) expect(text).not.toContain("Pl4nted");
  expect(JSON.stringify(object)).not.toContain("Pl4nted");
  expect(object?.spec.source.sealedUrl).toMatch(/^v2\./);
  expect(object?.spec.storage?.bucket?.sealedCredentials).toMatch(/^v2\./);
  expect(answers[0]?.body.backup.storage).toEqual({
    kind: "bucket",
    endpoint: "http://127.0.0.1:7070",
    region: "us-east-1",
    bucket: "backups",
    prefix: "rowferry/shop",
  });
});

describe("a URL that a stranger may not name is refused, and nothing is made", () => {
  test.each([
    ["a private address", { database_url: "postgres://u:p@10.0.0.7/shop" }, "database_url"],
    ["a cloud's metadata", { database_url: "mysql://u:p@169.254.169.254/shop" }, "database_url"],
    ["a parameter that reads files", { database_url: `${database_url}?sslrootcert=/etc/passwd` }, "database_url"],
    ["a socket", { database_url: "postgres://u:p@127.0.0.1/shop?host=/var/run" }, "database_url"],
    ["many statements", { database_url: "mysql://u:p@127.0.0.1/shop?multipleStatements=true" }, "database_url"],
    ["another scheme", { database_url: "sqlite://u:p@127.0.0.1/shop" }, "database_url"],
    ["a placeholder", { database_url: "postgres://user:password@host:5432/db" }, "database_url"],
    ["an example's host", { database_url: "postgres://app:x1@db.example.com/shop" }, "database_url"],
    ["a storage inside", { storage: { endpoint: "https://10.0.0.7" } }, "storage.endpoint"],
    ["a storage at the metadata", { storage: { endpoint: "http://169.254.169.254" } }, "storage.endpoint"],
    ["a storage with a path", { storage: { endpoint: "https://s3.acme.io/x?y" } }, "storage.endpoint"],
    ["a storage with a user", { storage: { endpoint: "https://k:s@s3.acme.io" } }, "storage.endpoint"],
    ["a storage in clear", { storage: { endpoint: "http://s3.acme.io" } }, "storage.endpoint"],
  ])("%s", async (_what, body, field) => {
    const bucket = { bucket: "backups", access_key_id: "id", secret_access_key: "key" };
    const given = "storage" in body ? { database_url, storage: { ...bucket, ...body.storage } } : body;
    const answer = await api("/api/backups", { token: ann.token, body: given });
    expect(answer, answer.text).toMatchObject({ status: 422, body: { code: "url_refused" } });
    expect(answer.body.errors.map((one: { field: string }) => one.field)).toEqual([field]);
    expect((await get("/api/backups")).body.data).toEqual([]);
  });

  test.each([
    ["a bucket's name with a slash", { bucket: "a/../b" }],
    ["a prefix that climbs", { prefix: "../other" }],
    ["a prefix with a slash at its end", { prefix: "shop/" }],
    ["a prefix whose storage could not be opened", { prefix: "shop(eu)" }],
    ["a prefix with a hidden folder", { prefix: "shop/.eu" }],
    ["a field that is not known", { secretRef: { name: "admin" } }],
  ])("%s", async (_what, more) => {
    const storage = { bucket: "backups", access_key_id: "id", secret_access_key: "key", ...more };
    const answer = await api("/api/backups", { token: ann.token, body: { database_url, storage } });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" } });
  });
});

test.each(["mysql", "mariadb"])("a database of %s is taken when it is given, at first or later", async (scheme) => {
  const url = `${scheme}://reader:${planted}@127.0.0.1:3306/shop`;
  const id = await schedule(ann);
  const made = await api("/api/backups", { token: ann.token, body: { database_url: url } });
  expect(made, made.text).toMatchObject({ status: 201 });
  const changed = await api(`/api/backups/${id}`, { method: "PATCH", token: ann.token, body: { database_url: url } });
  expect(changed, changed.text).toMatchObject({ status: 200 });
  for (const answer of [made, changed]) expect(answer.text).not.toContain(planted);
});

test("what the service cannot decrypt it does not promise to verify", async () => {
  const recipients = [`age1${"q".repeat(58)}`];
  const refused = await api("/api/backups", { token: ann.token, body: { database_url, recipients } });
  expect(refused).toMatchObject({
    status: 422,
    body: { code: "invalid", errors: [{ field: "verification.policy" }] },
  });
  const id = await schedule(ann, { recipients, verification: { policy: "never" } });
  expect((await stored(id))?.spec.encryption).toEqual({ recipients });
  const changed = await api(`/api/backups/${id}`, {
    method: "PATCH",
    token: ann.token,
    body: { verification: { policy: "weekly" } },
  });
  expect(changed).toMatchObject({ status: 422, body: { code: "invalid" } });
});

test("a change changes what it names and leaves the rest", async () => {
  const id = await schedule(ann, { name: "Shop", retention: { daily: 7 }, time_zone: "Europe/Berlin" });
  const before = await stored(id);
  const patch = async (body: object) => {
    const answer = await api(`/api/backups/${id}`, { method: "PATCH", token: ann.token, body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.backup;
  };
  expect(await patch({ suspend: true })).toMatchObject({ status: "suspended", name: "Shop", interval: "daily" });
  expect(await patch({ suspend: false, cron: "0 4 * * *" })).toMatchObject({ status: "active", interval: null });
  expect(await patch({ interval: "weekly", name: null })).toMatchObject({ cron: null, name: null });
  expect(await patch({ retention: { weekly: 2 } })).toMatchObject({ retention: { daily: null, weekly: 2 } });
  expect(await patch({ retention: null, verification: { max_age_days: 30 } })).toMatchObject({
    retention: null,
    verification: { policy: "weekly", max_age_days: 30 },
  });
  const after = await stored(id);
  expect(after?.spec.source).toEqual(before?.spec.source);
  expect(after?.spec.timeZone).toBe("Europe/Berlin");
  await patch({ database_url: "postgres://reader:another@127.0.0.1:5432/shop" });
  expect((await stored(id))?.spec.source).not.toEqual(before?.spec.source);
  const recipients = [`age1${"q".repeat(58)}`];
  const sealed = { recipients, verification: { policy: "never" } };
  await patch({ ...sealed, database_url });
  expect((await stored(id))?.spec.encryption).toEqual({ recipients });
  for (const body of [sealed, { recipients: null }, { storage: null }])
    expect(await api(`/api/backups/${id}`, { method: "PATCH", token: ann.token, body })).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ field: "database_url" }] },
    });
  for (const body of [{}, { interval: "daily", cron: "0 4 * * *" }, { database_ca: "x" }, { id: unknown }])
    expect(await api(`/api/backups/${id}`, { method: "PATCH", token: ann.token, body })).toMatchObject({
      status: 422,
      body: { code: "invalid" },
    });
});

test("a run on demand is one execution of its schedule, is in its history, and a schedule has one at a time", async () => {
  const id = await schedule(ann);
  const made = await api(`/api/backups/${id}/run`, { method: "POST", token: ann.token });
  expect(made.status, made.text).toBe(202);
  expect(runResponseSchema.strict().parse(made.body)).toEqual(made.body);
  const { run } = made.body;
  expect(run).toMatchObject({ backup: id, status: "pending", trigger: "manual", slot: null });
  expect(made.headers.location).toBe(`/api/backups/${id}/runs/${run.id}`);
  expect(run.id.length).toBeLessThanOrEqual(60);
  const again = await api(`/api/backups/${id}/run`, { method: "POST", token: ann.token, replica: 1 });
  expect(again).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  expect(again.body.detail).toContain(run.id);

  await runStatus(ann, run.id, { ...completedStatus, state: "in_progress" });
  expect((await get(`/api/backups/${id}/runs/${run.id}`)).body.status).toBe("in_progress");
  await runStatus(ann, run.id);
  const history = await get(`/api/backups/${id}/runs`, ann, 1);
  expect(runsSchema.strict().parse(history.body)).toEqual(history.body);
  expect(history.body.data).toMatchObject([{ id: run.id, status: "completed", size: 823_000_000, rows: 47_271 }]);
  const one = await get(`/api/backups/${id}/runs/${run.id}`);
  expect(oneRunSchema.strict().parse(one.body)).toEqual(one.body);
  expect(await runNow(ann, id)).not.toBe(run.id);
});

test("a suspended schedule is backed up on demand all the same", async () => {
  const id = await schedule(ann, { suspend: true });
  expect(await runNow(ann, id)).toContain(id);
});

test("the history is newest first, in pages, and by status", async () => {
  const id = await schedule(ann);
  const runs: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const run = await runNow(ann, id);
    await runStatus(ann, run, count === 1 ? { state: "failed" } : completedStatus);
    runs.unshift(run);
  }
  const ids = async (query: string, replica = 0) => {
    const { body } = await get(`/api/backups/${id}/runs?${query}`, ann, replica);
    return { ids: body.data.map((one: { id: string }) => one.id), cursor: body.next_cursor };
  };
  expect((await ids("limit=100")).ids).toEqual(runs);
  const first = await ids("limit=3");
  expect(first.ids).toEqual(runs.slice(0, 3));
  expect(await ids(`limit=3&cursor=${first.cursor}`, 1)).toEqual({ ids: runs.slice(3), cursor: null });
  expect((await ids("status=failed")).ids).toEqual([runs[2]]);
  const other = await schedule(ann);
  for (const query of [`cursor=${first.cursor}&status=failed`, "limit=0", "status=lost", "sort=size", "cursor=%00"])
    expect(await get(`/api/backups/${id}/runs?${query}`)).toMatchObject({ status: 422, body: { code: "invalid" } });
  expect(await get(`/api/backups/${other}/runs?cursor=${first.cursor}`)).toMatchObject({ status: 422 });
});

test("schedules are listed newest first, in pages, and by status", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.unshift(await schedule(ann, { suspend: count === 2 }));
  const page = async (query: string) => (await get(`/api/backups?${query}`)).body;
  const first = await page("limit=3");
  expect(first.data.map((one: { id: string }) => one.id)).toEqual(ids.slice(0, 3));
  const second = await page(`limit=3&cursor=${first.next_cursor}`);
  expect(second).toMatchObject({ data: [{ id: ids[3] }], next_cursor: null });
  expect((await page("status=suspended")).data).toMatchObject([{ id: ids[1] }]);
  expect(await get(`/api/backups?cursor=${first.next_cursor}`, bob)).toMatchObject({ status: 422 });
});

test("what failed is shown with its cause, clean of control characters", async () => {
  const id = await schedule(ann);
  const run = await runNow(ann, id);
  await runStatus(ann, run, {
    state: "failed",
    conditions: [
      {
        type: "Failed",
        status: "True",
        reason: "WrongPassword",
        message: "The source refused the \u001b[31mpassword.",
        lastTransitionTime: "2030-01-01T00:00:00Z",
      },
    ],
  });
  expect((await get(`/api/backups/${id}/runs/${run}`)).body.error).toMatchObject({ code: "wrong_password" });
  expect((await get(`/api/backups/${id}/runs/${run}`)).text).not.toContain("\\u001b");
});

test("a verification can be asked for at any time of a completed run, and one that waits is enough", async () => {
  const id = await schedule(ann, { verification: { policy: "never" } });
  const run = await runNow(ann, id);
  const verify = (headers: Record<string, string> = {}, replica = 0) =>
    api(`/api/backups/${id}/runs/${run}/verify`, { method: "POST", token: ann.token, headers, replica });
  expect(await verify()).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  await runStatus(ann, run);
  const headers = { "idempotency-key": randomUUID() };
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => verify(headers, at % 2)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  expect(answers[0]?.body.run.verification.status).toBe("requested");
  const verifications = async () => (await admin.get(kinds.backupRuns, ann.namespace, run))?.spec.verifications;
  expect(await verifications()).toBe(1);
  const verification = {
    at: "2030-01-01T00:00:00.000Z",
    outcome: "verified" as const,
    tables: 16,
    rows: 5,
    seconds: 9,
  };
  await runStatus(ann, run, { ...completedStatus, verifications: 1, verification });
  expect((await get(`/api/backups/${id}/runs/${run}`)).body.verification).toMatchObject({
    status: "verified",
    rows: 5,
  });
  expect((await verify(headers)).status).toBe(202);
  expect(await verifications(), "the same key asks for no other").toBe(1);
  expect((await verify()).status).toBe(202);
  expect(await verifications()).toBe(2);
});

test("a run can be asked for with its verification", async () => {
  const id = await schedule(ann);
  const run = await runNow(ann, id, { verify: true });
  expect((await get(`/api/backups/${id}/runs/${run}`)).body.verification.status).toBe("requested");
});

describe("with an Idempotency-Key", () => {
  const keyed = (key: string) => ({ "idempotency-key": key });

  test("twenty creates at once over two replicas make one schedule and give one answer, and another body is refused", async () => {
    const headers = keyed(randomUUID());
    const ask = (body: object, replica = 0) => api("/api/backups", { token: ann.token, headers, body, replica });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => ask({ database_url }, at % 2)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await get("/api/backups")).body.data).toHaveLength(1);
    expect(await ask({ database_url, interval: "weekly" }, 1)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    const { id } = answers[0]?.body.backup ?? {};
    await api(`/api/backups/${id}`, { method: "DELETE", token: ann.token });
    expect((await ask({ database_url })).status, "a key holds as long as its schedule").toBe(201);
    await api(`/api/backups/${id}`, { method: "DELETE", token: ann.token });
  });

  test("ten runs at once start one, and a repeat after its end starts none", async () => {
    const id = await schedule(ann);
    const headers = keyed(randomUUID());
    const ask = (replica: number, body = {}) =>
      api(`/api/backups/${id}/run`, { token: ann.token, headers, body, replica });
    const first = await ask(0);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => ask(at % 2)));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [202, first.text]));
    await runStatus(ann, first.body.run.id);
    expect((await ask(1)).text).toBe(first.text);
    expect((await get(`/api/backups/${id}/runs`)).body.data).toHaveLength(1);
    expect(await ask(0, { verify: true })).toMatchObject({ body: { code: "idempotency_key_reused" } });
  });
});

describe("what is another team's", () => {
  const paths = (id: string, run: string) =>
    [
      ["GET", `/api/backups/${id}`],
      ["PATCH", `/api/backups/${id}`, { suspend: true }],
      ["DELETE", `/api/backups/${id}`],
      ["POST", `/api/backups/${id}/run`],
      ["GET", `/api/backups/${id}/runs`],
      ["GET", `/api/backups/${id}/runs/${run}`],
      ["POST", `/api/backups/${id}/runs/${run}/verify`],
      ["POST", `/api/backups/${id}/runs/${run}/restore`, { target_url: database_url }],
    ] as const;

  test("is 403, what nobody has is 404, and nothing of it changes or is listed", async () => {
    const { id, run } = await completedRun(ann, { verification: { policy: "never" } });
    const specs = async () => [(await stored(id))?.spec, (await admin.get(kinds.backupRuns, ann.namespace, run))?.spec];
    const before = await specs();
    for (const [method, path, body] of paths(id, run))
      expect(await api(path, { method, token: bob.token, ...(body && { body }) }), `${method} ${path}`).toMatchObject({
        status: 403,
        body: { code: "other_team" },
      });
    for (const [method, path, body] of paths(unknown, run))
      expect(await api(path, { method, token: ann.token, ...(body && { body }) }), `${method} ${path}`).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
    expect(await specs()).toEqual(before);
    expect((await get("/api/backups", bob)).body.data).toEqual([]);
  });

  test("cannot be reached by a run's id under a schedule of one's own, nor one's own run under another schedule", async () => {
    const theirs = await completedRun(ann);
    const [mine, other] = [await completedRun(bob), await schedule(bob)];
    const tried = [
      [mine.id, theirs.run],
      [other, mine.run],
      [mine.id, "..%2f..%2fmigrations"],
      [mine.id, "a%2fb"],
      [mine.id, encodeURIComponent(`${theirs.run}/status`)],
      [mine.id, "%E2%80%AE"],
      [mine.id, "x".repeat(253)],
      [encodeURIComponent("../secrets"), mine.run],
      [encodeURIComponent(`${mine.id}/runs`), mine.run],
    ];
    for (const [id, run] of tried)
      expect(await get(`/api/backups/${id}/runs/${run}`, bob), `${id} ${run}`).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
  });
});

test("a deleted schedule is not found at once, and its runs stay and are listed", async () => {
  const { id, run } = await completedRun(ann);
  const deleted = await api(`/api/backups/${id}`, { method: "DELETE", token: ann.token });
  expect(deleted).toMatchObject({ status: 200, body: { backup: { id } } });
  for (const replica of [0, 1]) {
    expect(await get(`/api/backups/${id}`, ann, replica)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await get("/api/backups", ann, replica)).body.data).toEqual([]);
  }
  expect((await get(`/api/backups/${id}/runs`)).body.data).toMatchObject([{ id: run, backup: id }]);
  expect((await get(`/api/backups/${id}/runs/${run}`)).body).toMatchObject({ id: run, status: "completed" });
  expect(await api(`/api/backups/${id}/run`, { method: "POST", token: ann.token })).toMatchObject({ status: 404 });
  expect(await get(`/api/backups/${id}/runs`, bob)).toMatchObject({ status: 404 });
});

test("what kubectl makes in the team's namespace is shown by its uid, without a URL", async () => {
  const name = `nightly-${randomUUID().slice(0, 8)}`;
  const object = {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "BackupSchedule",
    metadata: { name, namespace: ann.namespace },
    spec: { source: { secretRef: { name: "shop" } }, cron: "15 3 * * *" },
  };
  await schedule(ann);
  const applied = await kubectl(["apply", "-f", "-"], JSON.stringify(object));
  expect(applied.code, applied.err).toBe(0);
  const uid = (await stored(name))?.metadata.uid ?? "";
  expect((await get(`/api/backups/${uid}`)).body).toMatchObject({ id: uid, cron: "15 3 * * *" });
  const run = await runNow(ann, uid);
  expect(run).toMatch(new RegExp(`^${name}-m[0-9a-f]{11}$`));
  expect((await get(`/api/backups/${uid}/runs`)).body.data).toMatchObject([{ id: run, backup: uid }]);
});

test("an installation without backups says so by every operation alike, and by MCP", async () => {
  const { caller } = await startReplica({ ROWFERRY_BACKUPS: "false" });
  const asked = [
    ["GET", "/api/backups"],
    ["POST", "/api/backups", { database_url }],
    ["GET", `/api/backups/${unknown}`],
    ["PATCH", `/api/backups/${unknown}`, { suspend: true }],
    ["DELETE", `/api/backups/${unknown}`],
    ["POST", `/api/backups/${unknown}/run`],
    ["GET", `/api/backups/${unknown}/runs`],
    ["GET", `/api/backups/${unknown}/runs/x`],
    ["POST", `/api/backups/${unknown}/runs/x/verify`],
    ["POST", `/api/backups/${unknown}/runs/x/restore`, { target_url: database_url }],
    ["GET", "/api/restores"],
    ["GET", `/api/restores/${unknown}`],
  ] as const;
  for (const [method, path, body] of asked)
    expect(await caller.ask(path, { method, token: ann.token, ...(body && { body }) }), path).toMatchObject({
      status: 409,
      body: { code: "backups_disabled" },
    });
  const params = { name: "list-backups-tool", arguments: {} };
  const said = await caller.ask("/mcp", {
    token: ann.token,
    headers: { accept: "application/json, text/event-stream" },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  });
  expect(said.body.result).toMatchObject({ isError: true });
  expect(said.body.result.content[0].text).toContain("backups_disabled");
});
