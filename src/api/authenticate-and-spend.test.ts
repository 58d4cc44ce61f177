import type { Response } from "express";
import { expect, it } from "vitest";
import { tiers } from "../requests/tiers.ts";
import type { Identity } from "../requests/world.ts";
import { authenticateAndSpend, createMeter } from "./authenticate-and-spend.ts";
import { createLimits, type LimitName, type LimitsOptions } from "./limits.ts";

const one = [{ points: 1, seconds: 60 }];

function scene() {
  const windows = { ...tiers, ai: [{ points: 2, seconds: 60 }], probe: one } as unknown as LimitsOptions["windows"];
  const limits = createLimits({ windows, problem: () => {}, now: () => performance.now() });
  const answer = () => {
    const headers: Record<string, string> = {};
    const locals: Record<string, unknown> = {};
    const response = { locals, set: (more: object) => Object.assign(headers, more) } as unknown as Response;
    return { headers, locals, response, meter: createMeter(limits, response) };
  };
  return { limits, answer };
}

const policies = '"ai";q=2;w=60, "probe";q=1;w=60';

it("of a call that is refused nothing is taken, and its headers tell of each of its limits", async () => {
  const { answer, limits } = scene();
  const first = answer();
  await first.meter.spend(["ai", "probe"], "a");
  expect(first.headers["RateLimit-Policy"]).toBe(policies);
  const second = answer();
  await expect(second.meter.spend(["ai", "probe"], "a")).rejects.toMatchObject({ code: "rate_limited" });
  expect(second.headers["RateLimit-Policy"]).toBe(policies);
  expect((await limits.spend("ai", "a")).standings).toMatchObject([{ remaining: 0 }]);
});

it("the headers tell of everything that one meter took, of a try only where it is refused", async () => {
  const { headers, meter } = scene().answer();
  await meter.attempt("probe", "a");
  expect(headers).toEqual({});
  await meter.spend(["ai"], "a");
  await expect(meter.attempt("probe", "a", "look")).rejects.toMatchObject({ code: "rate_limited" });
  expect(headers["RateLimit-Policy"]).toBe(policies);
});

it.each([
  ["an account counts", { account: { metadata: { name: "a1" } } }, "a1", 1],
  ["a stranger counts in nothing", undefined, undefined, 2],
])("%s", async (_who, identity, owner, left) => {
  const { answer, limits } = scene();
  const { locals, meter, response } = answer();
  const who = identity === undefined ? {} : { identity: identity as Identity };
  const ai: readonly LimitName[] = ["ai"];
  const found = await authenticateAndSpend({
    ...{ meter, response },
    who: async () => who,
    countsIn: () => ({ limits: ai }),
  });
  expect(found).toEqual({ who, owner, counted: { limits: ai } });
  expect(locals).toEqual({ account: owner });
  expect((await limits.spend("ai", "a1")).standings).toMatchObject([{ remaining: left - 1 }]);
});
