import { describe, expect, it } from "vitest";
import { apiEnvironment, readApiConfig } from "../../src/main/api/config.ts";
import { operatorEnvironment, readConfig } from "../../src/main/operator/config.ts";
import { containerOf, environmentOf, podOf } from "./pods.ts";
import { find, render, template } from "./tools.ts";

/** Billing in the chart: off by default, on by a Secret's name. */

const on = (more: object = {}, stripe: object = {}) => ({
  api: { baseUrl: "https://rowferry.example.com" },
  billing: { stripe: { secretName: "stripe", ...stripe }, ...more },
});
const parts = ["rowferry-operator", "rowferry-api"] as const;
interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  podSelector?: object;
}
interface Policy {
  spec: { egress: { ports?: { port: number }[]; to?: Peer[] }[] };
}
const egressOf = async (name: string, values: object) =>
  find<Policy>(await render(values), "NetworkPolicy", name).spec.egress.at(-1);

it("is off by default: no variable, no file and no way out", async () => {
  const objects = await render();
  for (const name of parts) {
    expect(
      Object.keys(environmentOf(objects, name)).filter((one) => /STRIPE|PRICE|UNPAID|GRACE_HOURS/.test(one)),
    ).toEqual([]);
    expect(JSON.stringify(podOf(objects, name))).not.toContain("stripe");
  }
  expect(readApiConfig(environmentOf(objects, "rowferry-api")).ROWFERRY_STRIPE_KEY_FILE).toBeUndefined();
});

describe("a Secret's name turns it on", () => {
  it("in the environment, which operator and API understand, each name of it", async () => {
    const objects = await render(on());
    const [operator, api] = parts.map((name) => environmentOf(objects, name));
    expect(readConfig(operator ?? {})).toMatchObject({
      ROWFERRY_STRIPE_KEY_FILE: "/etc/rowferry/stripe/key",
      ROWFERRY_HOLD_GRACE_HOURS: 24,
      ROWFERRY_UNPAID_DAYS: 30,
      ROWFERRY_PAST_DUE_DAYS: 14,
    });
    expect(readApiConfig(api ?? {})).toMatchObject({
      ROWFERRY_STRIPE_KEY_FILE: "/etc/rowferry/stripe/key",
      ROWFERRY_STRIPE_WEBHOOK_FILE: "/etc/rowferry/stripe/webhook-secret",
      ROWFERRY_PRICES: { minimum: 5, steps: [{ transfer: 1, conversion: 2 }] },
      ROWFERRY_PRO_PRICE: { amount: 49, interval: "month" },
      ROWFERRY_MOST_UNPAID: 20,
    });
    const strange = (env: object | undefined, known: object) =>
      Object.keys(env ?? {}).filter((one) => !Object.keys(known).includes(one));
    expect(strange(operator, operatorEnvironment.shape)).toEqual([]);
    expect(strange(api, apiEnvironment.shape)).toEqual([]);
  });

  it("each variable once: server-side apply refuses a second one", async () => {
    const objects = await render(on());
    for (const name of parts) {
      const names = (containerOf(objects, name).env ?? []).map((one) => one.name);
      expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual([]);
    }
  });

  it("as files that only the pod's group reads, and in no variable", async () => {
    const objects = await render(on());
    for (const name of parts) {
      const pod = podOf(objects, name);
      const { secret } = pod.volumes.find((volume) => volume.name === "stripe") ?? {};
      const keys = name === "rowferry-api" ? ["key", "webhook-secret"] : ["key"];
      expect(secret).toEqual({
        secretName: "stripe",
        // Octal for Kubernetes, which reads YAML 1.1; the parser of these tests reads 1.2.
        defaultMode: 440,
        items: keys.map((key) => ({ key, path: key })),
      });
      expect(pod.securityContext).toMatchObject({ fsGroup: 65_532, runAsNonRoot: true });
      expect(containerOf(objects, name).volumeMounts).toContainEqual({
        ...{ name: "stripe", mountPath: "/etc/rowferry/stripe", readOnly: true },
      });
      expect(JSON.stringify(containerOf(objects, name).env)).not.toContain("secretKeyRef");
    }
    expect(JSON.stringify(podOf(objects, "rowferry-prober"))).not.toContain("stripe");
  });

  it("without a webhook, where the Secret has none", async () => {
    const objects = await render(on({}, { webhook: false }));
    expect(readApiConfig(environmentOf(objects, "rowferry-api")).ROWFERRY_STRIPE_WEBHOOK_FILE).toBeUndefined();
    const { secret } = podOf(objects, "rowferry-api").volumes.find(({ name }) => name === "stripe") ?? {};
    expect(secret?.items).toHaveLength(1);
  });

  it("with the prices and times of the values", async () => {
    const steps = [
      { upToGb: 10.5, transfer: 1.25, conversion: 2 },
      { transfer: 0.000_001, conversion: 1 },
    ];
    const objects = await render({
      ...on(
        {
          prices: { minimum: 0.5, steps },
          pro: { price: "price_1Qx", pastDueDays: 3 },
          ...{ holdGrace: 0.5, unpaidDays: 7, mostUnpaid: 3 },
        },
        { url: "http://stripe.test.svc:12111" },
      ),
      api: { baseUrl: "https://rowferry.example.com", currency: "EUR" },
    });
    expect(readApiConfig(environmentOf(objects, "rowferry-api"))).toMatchObject({
      ROWFERRY_CURRENCY: "EUR",
      ROWFERRY_PRICES: { minimum: 0.5, steps },
      ROWFERRY_PRO_PRICE: { price: "price_1Qx" },
      ROWFERRY_MOST_UNPAID: 3,
      ROWFERRY_STRIPE_URL: "http://stripe.test.svc:12111",
    });
    expect(readConfig(environmentOf(objects, "rowferry-operator"))).toMatchObject({
      ROWFERRY_CURRENCY: "EUR",
      ROWFERRY_HOLD_GRACE_HOURS: 0.5,
      ROWFERRY_UNPAID_DAYS: 7,
      ROWFERRY_PAST_DUE_DAYS: 3,
      ROWFERRY_STRIPE_URL: "http://stripe.test.svc:12111",
    });
  });

  it("without a subscription, where its amount is 0", async () => {
    const objects = await render(on({ pro: { amount: 0 } }));
    expect(readApiConfig(environmentOf(objects, "rowferry-api")).ROWFERRY_PRO_PRICE).toBeNull();
  });
});

describe("the way to Stripe", () => {
  it.each(parts)("of %s is to public addresses at 443", async (name) => {
    const { ports, to = [] } = (await egressOf(name, on())) ?? {};
    expect(ports?.map(({ port }) => port)).toEqual([443]);
    expect(to.map(({ ipBlock }) => ipBlock?.cidr)).toEqual(["0.0.0.0/0", "2000::/3"]);
    expect(to[0]?.ipBlock?.except).toEqual(expect.arrayContaining(["10.0.0.0/8", "169.254.0.0/16"]));
  });

  it("is to another counterpart's port, and to the peers that are named", async () => {
    for (const name of parts) {
      const url = "http://stripe.test.svc:12111";
      expect(await egressOf(name, on({}, { url }))).toEqual({ ports: [{ protocol: "TCP", port: 12_111 }] });
      const to = [{ podSelector: { matchLabels: { app: "stripe" } } }];
      expect(await egressOf(name, { ...on({}, { url }), networkPolicies: { stripe: { to } } })).toMatchObject({ to });
      expect((await egressOf(name, on({}, { url: "http://stripe.test.svc" })))?.ports).toMatchObject([{ port: 80 }]);
    }
  });
});

describe("wrong values are refused", () => {
  it.each<[string, object, RegExp]>([
    ["a key instead of a Secret's name", { stripe: { secretName: "sk_live_1" } }, /secretName/],
    ["a price that is none of Stripe's", { pro: { price: "prod_1" } }, /price/],
    ["an interval that Stripe does not have", { pro: { interval: "quarter" } }, /interval/],
    ["no steps", { prices: { minimum: 1, steps: [] } }, /steps/],
    ["a negative price", { prices: { minimum: 1, steps: [{ transfer: -1, conversion: 1 }] } }, /transfer/],
    ["a step without a price", { prices: { minimum: 1, steps: [{ transfer: 1 }] } }, /conversion/],
    [
      "a last step with an end",
      { stripe: { secretName: "s" }, prices: { minimum: 1, steps: [{ upToGb: 5, transfer: 1, conversion: 1 }] } },
      /last of billing\.prices\.steps has upToGb/,
    ],
    [
      "steps that do not rise",
      {
        stripe: { secretName: "s" },
        prices: {
          minimum: 1,
          steps: [
            { upToGb: 5, transfer: 1, conversion: 1 },
            { upToGb: 5, transfer: 1, conversion: 1 },
            { transfer: 1, conversion: 1 },
          ],
        },
      },
      /step 2 of billing\.prices\.steps/,
    ],
    ["a hold that outlasts every card's", { holdGrace: 1000 }, /holdGrace/],
    ["a name that is not there", { price: {} }, /price/],
  ])("%s", async (_name, billing, words) => {
    const { code, stderr } = await template({ billing, api: { baseUrl: "https://rowferry.example.com" } });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(words);
  });
});

it("the values of an earlier chart, which have no billing, leave it off", async () => {
  const { code, stdout } = await template({ billing: null });
  expect(code).toBe(0);
  expect(stdout).not.toContain("ROWFERRY_STRIPE");
});
