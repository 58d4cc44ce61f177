import { rootCertificates } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { createdSchema, listedSchema, oneSchema } from "../../src/requests/migrations/view/shapes.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { jobsOf } from "../operator/kubelet.ts";
import {
  complete,
  create,
  exampleReport,
  fail,
  pair,
  planted,
  start,
  statusOf,
  stored,
  untilStatus,
} from "./migrations-play.ts";
import { admin, api, kubectl, type Person, signUp } from "./world.ts";

let ann: Person;
let bob: Person;
beforeAll(async () => {
  [ann, bob] = [await signUp(), await signUp()];
});

const unknown = "00000000-0000-4000-8000-000000000000";

test("a create, right after sign-up, is answered with what it made, and a read right after shows it on each replica", async () => {
  const carla = await signUp();
  const made = await api("/api/migrations", { token: carla.token, body: pair });
  expect(made.status).toBe(201);
  expect(createdSchema.strict().parse(made.body)).toEqual(made.body);
  expect(made.body).toMatchObject({
    migration: { status: "pending", type: "conversion", size: null },
    covered_by_plan: true,
  });
  expect(made.body).not.toHaveProperty("checkout_url");
  expect(made.body).not.toHaveProperty("amount");
  const { id } = made.body.migration;
  for (const replica of [1, 0]) {
    const shown = await api(`/api/migrations/${id}`, { token: carla.token, replica });
    expect(shown.status).toBe(200);
    expect(oneSchema.strict().parse(shown.body)).toEqual(shown.body);
    expect(shown.body.id).toBe(id);
  }
  const listed = await api("/api/migrations", { token: carla.token });
  expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
  expect(listedSchema.strict().parse(listed.body.data[0])).toEqual(listed.body.data[0]);
});

test("a name that its creator gave it is shown by lists and by itself, and holds no URL", async () => {
  const name = "Shop → PostgreSQL (rehearsal)";
  const id = await create(ann, { name });
  for (const replica of [1, 0]) {
    expect((await api(`/api/migrations/${id}`, { token: ann.token, replica })).body).toMatchObject({ id, name });
    const { data } = (await api("/api/migrations", { token: ann.token, replica })).body;
    expect(data.find((one: { id: string }) => one.id === id)).toMatchObject({ name });
  }
  const unnamed = await create(ann);
  expect((await api(`/api/migrations/${unnamed}`, { token: ann.token })).body.name).toBe(unnamed);
  for (const refused of ["", " x", "a\nb", "x".repeat(101), `copy of ${pair.source_url}`])
    expect(await api("/api/migrations", { token: ann.token, body: { ...pair, name: refused } })).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ field: "name" }] },
    });
});

test("the URLs are stored sealed, and nothing shows them", async () => {
  const id = await create(ann);
  const object = JSON.stringify(await stored(ann, id));
  expect(object).toContain("sealedUrl");
  const shown = await api(`/api/migrations/${id}`, { token: ann.token });
  for (const text of [object, shown.text]) expect(text).not.toMatch(new RegExp(`${planted}|reader|writer`));
  expect(Buffer.byteLength(object)).toBeLessThan(32_768);
});

describe("a create is refused, with the field and the fix, and makes nothing", () => {
  const noCa = `-----BEGIN CERTIFICATE-----\n${"A".repeat(11_000)}\n-----END CERTIFICATE-----`;
  const [certificate = ""] = rootCertificates;
  const ca = Array.from({ length: Math.floor(16_000 / (certificate.length + 1)) }, () => certificate).join("\n");
  test.each([
    ["without a target", { source_url: pair.source_url }, "invalid", "target_url"],
    ["with an unknown field", { ...pair, speed: 1 }, "invalid", "speed"],
    ["with an unknown option", { ...pair, options: { speed: 1 } }, "invalid", "options.speed"],
    ["with an option out of bounds", { ...pair, options: { jobs: 99 } }, "invalid", "options.jobs"],
    ["with a number for a URL", { ...pair, source_url: 7 }, "invalid", "source_url"],
    [
      "from a database to itself",
      { source_url: pair.source_url, target_url: pair.source_url },
      "invalid",
      "target_url",
    ],
    ["with a CA that is no certificate", { ...pair, options: { source_ca: noCa } }, "invalid", "options.source_ca"],
    ["with text beside a CA", { ...pair, options: { source_ca: `x\n${ca}` } }, "invalid", "options.source_ca"],
    ["with more than fits", { ...pair, options: { source_ca: ca } }, "invalid", "options"],
    ["with another scheme", { ...pair, target_url: "http://127.0.0.1/x" }, "url_refused", "target_url"],
    ["with a metadata address", { ...pair, source_url: "mysql://u:p@169.254.169.254/x" }, "url_refused", "source_url"],
    [
      "with a path of a file",
      { ...pair, target_url: `${pair.target_url}?sslrootcert=/etc/passwd` },
      "url_refused",
      "target_url",
    ],
    ["with an estimate of nobody", { ...pair, estimate_id: "est_x" }, "estimate_refused", "estimate_id"],
  ])("%s", async (_what, body, code, field) => {
    const before = (await api("/api/migrations?limit=100", { token: bob.token })).body.data.length;
    const answer = await api("/api/migrations", { token: bob.token, body });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 422, code });
    expect(answer.body.errors.map((one: { field: string }) => one.field)).toContain(field);
    expect(answer.text).not.toContain(planted);
    expect((await api("/api/migrations?limit=100", { token: bob.token })).body.data).toHaveLength(before);
  });
});

describe("options of strange text are kept or refused, and never a fault", () => {
  test.each([
    ["NUL", "a\u0000b"],
    ["half a character", "a\ud800b"],
    ["a command to a terminal", "\u001b[2J"],
    ["text that turns round", "\u202eabc"],
    ["another script", "таблица_表_🐘"],
    ["a word of prototypes", "constructor"],
    ["SQL", "'; DROP TABLE x; --"],
    ["YAML", "{a: &b [*b]}"],
    ["nothing", ""],
    ["spaces", "  "],
  ])("%s", async (_what, text) => {
    const options = {
      include: [text],
      exclude: [text],
      drop: [text],
      schemas: { [text]: text },
      types: { [`t.${text}`]: text },
    };
    for (const [name, value] of Object.entries(options)) {
      const answer = await api("/api/migrations", { token: bob.token, body: { ...pair, options: { [name]: value } } });
      expect([201, 422], `${name}: ${answer.text}`).toContain(answer.status);
      if (answer.status === 422) expect(answer.body.errors?.length, answer.text).toBeGreaterThan(0);
      else {
        const { id } = answer.body.migration;
        const shown = await api(`/api/migrations/${id}`, { token: bob.token });
        expect(oneSchema.strict().parse(shown.body)).toEqual(shown.body);
        await api(`/api/migrations/${id}`, { method: "DELETE", token: bob.token });
      }
    }
  });
});

describe("of every operation on one migration", () => {
  const operations = [
    ["GET", ""],
    ["GET", "/logs"],
    ["GET", "/events"],
    ["GET", "/report"],
    ["POST", "/checkout"],
    ["POST", "/retry"],
    ["POST", "/reset"],
    ["DELETE", ""],
  ] as const;

  test.each(operations)("%s %s says 403 of another team's, and 404 of one that nobody has", async (method, path) => {
    const id = await create(ann);
    await until("the other replica to know it", async () => {
      const answers = [0, 1].map((replica) => api(`/api/migrations/${id}`, { token: bob.token, replica }));
      return (await Promise.all(answers)).every(({ status }) => status !== 404);
    });
    for (const replica of [0, 1]) {
      const foreign = await api(`/api/migrations/${id}${path}`, { method, token: bob.token, replica });
      expect(foreign).toMatchObject({ status: 403, body: { code: "other_team" } });
      for (const other of [unknown, "shop", "..%2f..%2fsecrets"]) {
        const answer = await api(`/api/migrations/${other}${path}`, { method, token: bob.token, replica });
        expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
      }
    }
    expect((await api(`/api/migrations/${id}`, { token: ann.token })).status).toBe(200);
  });

  test("each says 404 at once after a delete, on each replica", async () => {
    const id = await create(ann);
    const gone = await api(`/api/migrations/${id}`, { method: "DELETE", token: ann.token });
    expect(gone).toMatchObject({ status: 200, body: { migration: { id } } });
    expect(typeof gone.body.message).toBe("string");
    const listed = await api("/api/migrations?limit=100", { token: ann.token });
    expect(listed.text).not.toContain(id);
    for (const [method, path] of operations)
      for (const replica of [1, 0])
        expect(await api(`/api/migrations/${id}${path}`, { method, token: ann.token, replica })).toMatchObject({
          status: 404,
        });
  });
});

test("a failed run is told with its cause, is never retried twice by two calls, and is pending at once", async () => {
  const id = await create(ann);
  const early = await api(`/api/migrations/${id}/retry`, { method: "POST", token: ann.token });
  expect(early).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  const shown = await api(`/api/migrations/${id}`, { token: ann.token });
  expect(shown.body.error).toEqual({
    code: "wrong_password",
    message: "The target refused the password.",
    retryable: false,
  });
  const log = await api(`/api/migrations/${id}/logs`, { token: ann.token });
  expect(log.body.data.map((one: { message: string }) => one.message)).toContain("The target refused the password.");
  expect(await api(`/api/migrations/${id}/report`, { token: ann.token })).toMatchObject({ status: 409 });

  const both = await Promise.all(
    [0, 1].map((replica) => api(`/api/migrations/${id}/retry`, { method: "POST", token: ann.token, replica })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
  const retried = both.find(({ status }) => status === 202);
  expect(retried?.body.migration).toMatchObject({ id, status: "pending" });
  for (const replica of [1, 0]) {
    const { body } = await api(`/api/migrations/${id}`, { token: ann.token, replica });
    expect({ attempt: body.attempt, error: body.error }).toEqual({ attempt: 2, error: null });
    expect(body.status).not.toBe("failed");
  }
  expect((await stored(ann, id)).spec.attempt).toBe(2);
  await complete(ann, id, 3, 2);
  await untilStatus(ann, id, "completed");
  const again = await api(`/api/migrations/${id}/retry`, { method: "POST", token: ann.token });
  expect(again).toMatchObject({ status: 409, body: { code: "state_conflict" } });
});

test("a completed run has its report and its whole log, and a reset of it names what it would drop before it does", async () => {
  const id = await create(ann);
  expect(await api(`/api/migrations/${id}/report`, { token: ann.token })).toMatchObject({
    status: 409,
    body: { code: "state_conflict" },
  });
  await complete(ann, id, 100);
  await untilStatus(ann, id, "completed");
  const report = await api(`/api/migrations/${id}/report`, { token: ann.token });
  expect(report).toMatchObject({ status: 200, body: exampleReport });

  const whole = await api(`/api/migrations/${id}/logs`, { token: ann.token });
  const said = whole.body.data.map((one: { message: string }) => one.message);
  for (let at = 0; at < 100; at += 1)
    expect(said.filter((message: string) => message === `milestone ${at}`)).toHaveLength(1);
  const ids = whole.body.data.map((one: { id: string }) => one.id);
  expect(ids).toEqual([...ids].sort());
  const paged: string[] = [];
  for (let cursor = ""; ; ) {
    const page = await api(`/api/migrations/${id}/logs?limit=7${cursor}`, { token: ann.token });
    paged.push(...page.body.data.map((one: { id: string }) => one.id));
    if (page.body.next_cursor === null) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  expect(paged).toEqual(ids);

  const preview = await api(`/api/migrations/${id}/reset`, { method: "POST", token: ann.token });
  expect(preview).toMatchObject({
    status: 200,
    body: {
      preview: { stops_run: false, drops: [{ kind: "table", name: "shop.orders" }], total: 1 },
      migration: { id },
    },
  });
  expect((await stored(ann, id)).spec.reset).toBe(0);
  const reset = await api(`/api/migrations/${id}/reset`, { token: ann.token, body: { confirm: true } });
  expect(reset).toMatchObject({ status: 202, body: { migration: { id, status: "pending" } } });
  expect(await statusOf(ann, id)).toBe("pending");
  expect((await stored(ann, id)).spec.reset).toBe(1);
});

test("a reset stops a run in progress, and so does a delete", async () => {
  const id = await create(ann);
  await start(ann, id);
  await untilStatus(ann, id, "in_progress");
  const object = await stored(ann, id);
  const jobs = () => jobsOf({ admin: { client: admin } } as never, object);
  const [first] = await jobs();
  const preview = await api(`/api/migrations/${id}/reset`, { token: ann.token, body: {} });
  expect(preview.body.preview).toMatchObject({ stops_run: true, total: null });
  expect((await api(`/api/migrations/${id}/reset`, { token: ann.token, body: { confirm: true } })).status).toBe(202);
  await until("the first run's Job to be gone or going", async () => {
    const still = (await jobs()).find(({ metadata }) => metadata.uid === first?.metadata.uid);
    return still === undefined || still.metadata.deletionTimestamp !== undefined;
  });
  expect((await api(`/api/migrations/${id}`, { method: "DELETE", token: ann.token })).status).toBe(200);
  await until("every Job to be gone or going", async () =>
    (await jobs()).every(({ metadata }) => metadata.deletionTimestamp !== undefined),
  );
});

test("the URLs of a completed one are removed at once where that was asked for, and a reset says so", async () => {
  const id = await create(ann, { keep_urls_days: 0 });
  await complete(ann, id, 1);
  await untilStatus(ann, id, "completed");
  await until("its URLs to be removed", async () => {
    const { spec } = await stored(ann, id);
    return spec.source.sealedUrl === "expired" && spec.target.sealedUrl === "expired";
  });
  const answer = await api(`/api/migrations/${id}/reset`, { token: ann.token, body: { confirm: true } });
  expect(answer).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  expect(answer.body.detail).toMatch(/create a new migration/i);
  const shown = await api(`/api/migrations/${id}`, { token: ann.token });
  expect(shown.body.status).toBe("completed");
  const refused = await api("/api/migrations", { token: ann.token, body: { ...pair, keep_urls_days: -1 } });
  expect(refused).toMatchObject({ status: 422, body: { code: "invalid", errors: [{ field: "keep_urls_days" }] } });
});

test("what cannot run again, since its URLs are no longer kept, is told so, and can be deleted", async () => {
  const id = await create(ann);
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  await admin.mergePatch(kinds.migrations, ann.namespace, id, { spec: { source: { sealedUrl: "expired" } } });
  for (const [path, body] of [
    ["retry", {}],
    ["reset", {}],
    ["reset", { confirm: true }],
  ] as const) {
    const answer = await api(`/api/migrations/${id}/${path}`, { token: ann.token, body });
    expect(answer).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    expect(answer.body.detail).toMatch(/create a new migration/i);
  }
  expect((await api(`/api/migrations/${id}`, { method: "DELETE", token: ann.token })).status).toBe(200);
});

test("a create above the team's quota is told what to do, and passes when there is room again", async () => {
  const carla = await signUp();
  const id = await create(carla);
  await kubectl(["create", "quota", "one", "-n", carla.namespace, "--hard=count/migrations.rowferry.dev=1"]);
  await until("the quota to be counted", async () => {
    const quota = await admin.get(kinds.quotas, carla.namespace, "one");
    return (quota as { status?: { used?: object } } | undefined)?.status?.used !== undefined;
  });
  const refused = await api("/api/migrations", { token: carla.token, body: pair });
  expect(refused).toMatchObject({ status: 409, body: { code: "limit_reached" } });
  expect((await api(`/api/migrations/${id}`, { method: "DELETE", token: carla.token })).status).toBe(200);
  await until("there to be room", async () => {
    const answer = await api("/api/migrations", { token: carla.token, body: pair });
    return answer.status === 201;
  });
});

test("there is nothing to pay", async () => {
  const id = await create(ann);
  const answer = await api(`/api/migrations/${id}/checkout`, { method: "POST", token: ann.token });
  expect(answer).toMatchObject({ status: 409, body: { code: "nothing_to_pay" } });
});

test("a Migration that kubectl applied in the team's namespace is the team's: listed, shown, retried and deleted by its uid", async () => {
  const manifest = {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: { name: "shop", namespace: ann.namespace },
    spec: { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } } },
  };
  const applied = await kubectl(["apply", "-f", "-"], JSON.stringify(manifest));
  expect(applied.err).toBe("");
  const uid = (await stored(ann, "shop")).metadata.uid;
  await until("the list to show it", async () =>
    (await api("/api/migrations?limit=100", { token: ann.token })).text.includes(uid),
  );
  expect(await api(`/api/migrations/${uid}`, { token: ann.token })).toMatchObject({
    status: 200,
    body: { id: uid, name: "shop", status: "pending" },
  });
  expect((await api("/api/migrations/shop", { token: ann.token })).status).toBe(404);
  expect((await api(`/api/migrations/${uid}`, { token: bob.token })).status).toBe(403);
  await fail(ann, "shop");
  await untilStatus(ann, uid, "failed");
  expect((await api(`/api/migrations/${uid}/retry`, { method: "POST", token: ann.token })).status).toBe(202);
  expect((await api(`/api/migrations/${uid}`, { method: "DELETE", token: ann.token })).status).toBe(200);
  expect((await api(`/api/migrations/${uid}`, { token: ann.token })).status).toBe(404);
});

test("a Migration outside the teams' namespaces is nobody's: 404, not 403", async () => {
  await kubectl(["create", "namespace", "platform"]);
  const made = await admin.create(kinds.migrations, {
    metadata: { name: "shop", namespace: "platform" },
    spec: { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } } },
  } as never);
  const answer = await api(`/api/migrations/${made.metadata.uid}`, { token: ann.token });
  expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect((await api("/api/migrations?limit=100", { token: ann.token })).text).not.toContain(made.metadata.uid);
});
