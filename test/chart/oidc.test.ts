import { describe, expect, it } from "vitest";
import { apiEnvironment, readApiConfig } from "../../src/main/api/config.ts";
import { containerOf, environmentOf, podOf } from "./pods.ts";
import { find, render, template } from "./tools.ts";

/** Sign-in with OpenID Connect in the chart: off by default, on by an issuer. */

const baseUrl = "https://rowferry.example.com";
const on = (more: object = {}) => ({
  api: {
    baseUrl,
    oidc: { issuer: "https://login.example.com/realms/staff", clientId: "rowferry", secretName: "oidc", ...more },
  },
});
interface Policy {
  spec: { egress: { ports?: { port: number }[]; to?: { ipBlock?: { cidr: string; except?: string[] } }[] }[] };
}
const waysOut = async (values: object) =>
  find<Policy>(await render(values), "NetworkPolicy", "rowferry-api").spec.egress;

it("is off by default: no variable, no file and no way out", async () => {
  const objects = await render();
  const environment = environmentOf(objects, "rowferry-api");
  expect(Object.keys(environment).filter((name) => name.includes("OIDC"))).toEqual([]);
  expect(readApiConfig(environment).ROWFERRY_OIDC).toBeNull();
  expect(JSON.stringify(podOf(objects, "rowferry-api"))).not.toContain("oidc");
  expect((await waysOut(on())).length).toBe((await waysOut({ api: { baseUrl } })).length + 1);
});

describe("an issuer turns it on", () => {
  it("in the environment, which the API understands, with the secret in a file", async () => {
    const objects = await render(on({ createAccounts: true, allowedDomains: ["Example.com"] }));
    const environment = environmentOf(objects, "rowferry-api");
    expect(readApiConfig(environment)).toMatchObject({
      ROWFERRY_OIDC: {
        issuer: "https://login.example.com/realms/staff",
        clientId: "rowferry",
        scopes: ["openid", "email"],
        name: "OpenID Connect",
        only: false,
        createAccounts: true,
        allowedDomains: ["example.com"],
        trustEmails: false,
      },
      ROWFERRY_OIDC_SECRET_FILE: "/etc/rowferry/oidc/client-secret",
    });
    expect(Object.keys(environment).filter((name) => !Object.hasOwn(apiEnvironment.shape, name))).toEqual([]);
    expect(containerOf(objects, "rowferry-api").volumeMounts).toContainEqual({
      name: "oidc",
      mountPath: "/etc/rowferry/oidc",
      readOnly: true,
    });
    const [volume] = podOf(objects, "rowferry-api").volumes.filter(({ name }) => name === "oidc");
    expect(volume?.secret).toMatchObject({
      secretName: "oidc",
      items: [{ key: "client-secret", path: "client-secret" }],
    });
  });

  it("for the API alone", async () => {
    const objects = await render(on());
    for (const name of ["rowferry-operator", "rowferry-prober"])
      expect(JSON.stringify(podOf(objects, name))).not.toMatch(/oidc/i);
  });

  it("with a way to public addresses at the issuer's port, or to the peers that are named", async () => {
    const [rule] = (await waysOut(on())).filter(({ ports, to }) => ports?.[0]?.port === 443 && to?.[0]?.ipBlock);
    expect(rule?.to?.map(({ ipBlock }) => ipBlock?.cidr)).toEqual(["0.0.0.0/0", "2000::/3"]);
    expect(rule?.to?.[0]?.ipBlock?.except).toEqual(expect.arrayContaining(["10.0.0.0/8", "169.254.0.0/16"]));
    const to = [{ podSelector: { matchLabels: { app: "keycloak" } } }];
    const inside = await waysOut({
      ...on({ issuer: "https://keycloak.auth.svc:8443/realms/staff" }),
      networkPolicies: { oidc: { to } },
    });
    expect(inside).toContainEqual({ ports: [{ protocol: "TCP", port: 8443 }], to });
  });
});

describe("what cannot work is refused in words that tell the fix", () => {
  it.each<[string, object, RegExp]>([
    ["no client", on({ clientId: "" }), /api\.oidc\.clientId is empty: set it/],
    ["no secret", on({ secretName: "" }), /api\.oidc\.secretName is empty: name a Secret/],
    ["no base URL", { api: { oidc: on().api.oidc } }, /api\.baseUrl is empty: set it/],
    ["an issuer without TLS", on({ issuer: "http://login.example.com" }), /issuer/],
    ["scopes without openid", on({ scopes: ["email"] }), /scopes/],
    ["a domain that is an address", on({ allowedDomains: ["ann@example.com"] }), /allowedDomains/],
    ["an option that is none", on({ autoLink: true }), /autoLink/],
  ])("%s", async (_name, values, words) => {
    const { code, stderr } = await template(values);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(words);
  });
});

describe("the API's environment", () => {
  const environment = (oidc: unknown) => ({
    ROWFERRY_NAMESPACE: "rowferry-system",
    ROWFERRY_BASE_URL: baseUrl,
    ROWFERRY_PROBER_URL: "https://prober:8443",
    ROWFERRY_OIDC: JSON.stringify(oidc),
  });
  const right = { issuer: "https://login.example.com", clientId: "rowferry" };

  it.each<[string, object, string]>([
    [
      "an issuer without TLS",
      { issuer: "http://login.example.com" },
      "ROWFERRY_OIDC.issuer: must be the issuer's https://",
    ],
    ["its document", { issuer: "https://a.example/.well-known/openid-configuration" }, "ROWFERRY_OIDC.issuer: must be"],
    ["a password in the URL", { issuer: "https://me:it@a.example" }, "ROWFERRY_OIDC.issuer: must be"],
    ["scopes without openid", { scopes: ["email"] }, "ROWFERRY_OIDC.scopes: must include openid"],
    ["a domain that is none", { allowedDomains: ["@example.com"] }, "ROWFERRY_OIDC.allowedDomains.0: must be a domain"],
    ["a CA that is none", { ca: "-----BEGIN CERTIFICATE-----" }, "ROWFERRY_OIDC.ca: must be a CA certificate in PEM"],
    ["a name that is none", { autoLink: true }, "ROWFERRY_OIDC:"],
  ])("names %s", (_name, more, words) => {
    expect(() => readApiConfig(environment({ ...right, ...more }))).toThrow(words);
    expect(readApiConfig(environment(right)).ROWFERRY_OIDC).toMatchObject(right);
  });

  it.each(["http://127.0.0.1:8080", "http://localhost/realms/a", "http://[::1]:8080"])(
    "takes an issuer on this machine without TLS: %s",
    (issuer) => {
      expect(readApiConfig(environment({ ...right, issuer })).ROWFERRY_OIDC?.issuer).toBe(issuer);
    },
  );
});
