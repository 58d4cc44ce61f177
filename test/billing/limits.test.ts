import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../operator/control-plane.ts";
import { type BillingPlace, borrowPlace } from "./place.ts";

/** What many requests at once, on two replicas, may not exceed: one free migration, and the unpaid ones of an account. */

const mostUnpaid = 3;
let place: BillingPlace;
beforeAll(async () => {
  place = await borrowPlace({
    replicas: 2,
    operator: { ROWFERRY_HOLD_GRACE_HOURS: "1" },
    api: { ROWFERRY_MOST_UNPAID: String(mostUnpaid) },
  });
});
afterAll(() => place?.stop());

const at = (count: number) => Array.from({ length: count }, (_, index) => index % 2);

describe("the free first migration", () => {
  test("of many creates at once one is free", async () => {
    const person = await place.signUp();
    const answers = await Promise.all(at(6).map((replica) => place.create(person, {}, replica)));
    const free = answers.filter(({ body }) => body.free === true);
    expect(free).toHaveLength(1);
    // An account has a share of the prober, so that a create at the same time may be refused as busy.
    for (const { body } of answers)
      if (body.free !== true) expect(body.checkout_url ?? body.code).toMatch(/^http|^limit_reached$|^busy$/);
    await place.endRun(person, free[0]?.body.migration.id, "completed");
    expect((await place.create(person)).body.free).toBeUndefined();
  });

  test("a deletion of one that the operator has not begun gives it back at once", async () => {
    const person = await place.signUp();
    const free = async (replica: number): Promise<string> => {
      const { body } = await place.create(person, {}, replica);
      expect(body).toMatchObject({ free: true });
      return body.migration.id;
    };
    // The operator makes the team's namespace for the first one.
    await place.act(person, await free(0), "delete");
    await place.installation.operator.stop("SIGKILL");
    try {
      await place.act(person, await free(0), "delete");
      await place.act(person, await free(1), "delete");
    } finally {
      await place.installation.restartOperator();
    }
    await place.endRun(person, await free(0), "completed");
  });

  test("a create that fails gives it back at once, and closes its page", async () => {
    const person = await place.signUp();
    const long = Array.from({ length: 200 }, (_, index) => `t${index}_`.padEnd(100, "x"));
    const body = { ...place.body(), options: { include: long } };
    expect(await place.create(person, { body })).toMatchObject({ status: 422, body: { code: "invalid" } });
    const first = (await place.create(person)).body;
    expect(first).toMatchObject({ free: true });
    const open = async () => {
      const { data } = await place.atStripe("checkout/sessions?limit=100");
      return data.filter(({ status }: { status: string }) => status === "open").length;
    };
    const before = await open();
    expect(await place.create(person, { body })).toMatchObject({ status: 422, body: { code: "invalid" } });
    expect(await open()).toBe(before);
  });

  test("one that is deleted after its verified result has used it", async () => {
    const person = await place.signUp();
    const { id } = (await place.create(person)).body.migration;
    await place.storeResult(person, id, "completed");
    expect((await place.act(person, id, "delete")).status).toBe(200);
    expect((await place.create(person)).body.free).toBeUndefined();
  });

  test("a deletion gives it back to one; of retries and deletes in between never two are completed", async () => {
    const person = await place.signUp();
    const free: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(at(4).map((replica) => place.create(person, {}, replica)));
      const made = answers.filter(({ body }) => body.free === true).map(({ body }) => body.migration.id);
      expect(made).toHaveLength(1);
      free.push(...made);
      const [id = ""] = made;
      await place.endRun(person, id, "failed");
      expect(await place.act(person, id, "retry")).toMatchObject({ body: { migration: { status: "pending" } } });
      // While it has the claim, nobody else does.
      expect((await place.create(person, {}, 1)).body.free).toBeUndefined();
      for (const { body } of answers)
        if (body.migration !== undefined) await place.act(person, body.migration.id, "delete");
    }
    expect(new Set(free).size).toBe(3);
    const last = (await place.create(person)).body;
    expect(last.free).toBe(true);
    await place.endRun(person, last.migration.id, "completed");
    await place.act(person, last.migration.id, "delete");
    const after = await Promise.all(at(2).map((replica) => place.create(person, {}, replica)));
    for (const { body } of after) expect(body.free).toBeUndefined();
  });
});

describe("unpaid migrations", () => {
  test("an account has a limited number, also of many creates at once; a deletion makes room", async () => {
    const person = await place.paying();
    // An estimate goes by the Account as the API's cache has it.
    const quoted = await until("a price", async () => {
      const answer = await place.ask("/api/estimates", { token: person.token, body: place.body() });
      return answer.body.amount > 0 ? answer : undefined;
    });
    // With an estimate nothing is measured: the creates meet at the limit alone.
    const body = { ...place.body(), estimate_id: quoted.body.estimate_id };
    const answers = await Promise.all(at(8).map((replica) => place.create(person, { body }, replica)));
    for (const { status, body } of answers)
      if (status !== 201) expect(body).toMatchObject({ status: 409, code: "limit_reached" });
    const made = answers.filter(({ status }) => status === 201).length;
    expect(made).toBeLessThanOrEqual(mostUnpaid);
    // A list goes by the cache too, which may still have one that was refused.
    await until("the refused ones to be gone", async () => {
      const { data } = (await place.ask("/api/migrations", { token: person.token })).body;
      return data.length === made;
    });
    for (let left = mostUnpaid - made; left > 0; left -= 1) expect((await place.create(person)).status).toBe(201);
    expect(await place.create(person)).toMatchObject({ status: 409, body: { code: "limit_reached" } });
    const own = (await place.ask("/api/migrations", { token: person.token })).body.data;
    expect(own).toHaveLength(mostUnpaid);
    await place.act(person, own[0].id, "delete");
    expect((await place.create(person)).status).toBe(201);
    // Pages of creates that were refused are closed.
    await until("the other pages to be closed", async () => {
      const { data: open } = await place.atStripe("checkout/sessions?status=open&limit=100");
      const mine = open.filter(
        ({ metadata }: { metadata: { namespace?: string } }) => metadata.namespace === person.namespace,
      );
      return mine.length === mostUnpaid;
    });
  });
});
