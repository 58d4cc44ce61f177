import { afterAll, beforeAll, expect, test } from "vitest";
import { languages, startExample } from "../api/examples.ts";
import { until } from "../operator/control-plane.ts";
import { type BillingPlace, borrowPlace } from "./place.ts";

/** The quick start's examples for an account that pays. */

let place: BillingPlace;
beforeAll(async () => {
  place = await borrowPlace();
});
afterAll(() => place?.stop());

test.each(languages)(
  "%s prints the payment link, and the migration once it was paid and copied",
  async (_, program, ending) => {
    const person = await place.paying();
    const { source_url, target_url } = place.body();
    const running = startExample(program, `copy.${ending}`, place.installation.place, {
      ROWFERRY_TOKEN: person.token,
      SOURCE_URL: source_url,
      TARGET_URL: target_url,
    });
    let code: number | null | undefined;
    void running.ended.then((ended) => {
      code = ended;
    });
    const linked = () => code !== undefined || running.said().err.includes("\n");
    await until("the link", async () => linked(), 30_000);
    const { body } = await place.ask("/api/migrations", { token: person.token });
    const { id, size } = body.data[0];
    // Measured for the price.
    expect(size).toBeGreaterThan(0);
    const again = await place.act(person, id, "checkout");
    expect(running.said().err).toBe(`Open this link to pay: ${again.body.checkout_url}\n`);
    await place.authorize(person, id);
    await place.endRun(person, id, "completed");
    expect(await running.ended, running.said().err).toBe(0);
    expect(JSON.parse(running.said().out)).toMatchObject({ id, status: "completed" });
  },
);
