import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { TokenRefused } from "./identity.ts";
import { createTokenKeys } from "./keys.ts";

const issuer = "https://kubernetes.default.svc.cluster.local";
const audience = "rowferry-operator";
const start = Date.parse("2026-05-01T12:00:00Z");
const seconds = start / 1000;

const pair = async (kid: string, alg = "RS256") => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
};
type Pair = Awaited<ReturnType<typeof pair>>;
const [first, second, elliptic] = await Promise.all([pair("one"), pair("two"), pair("three", "ES256")]);

const pod = { name: "shop-1-abcde", uid: "0b9c" };
const claims = (more: Record<string, unknown> = {}): JWTPayload => ({
  iss: issuer,
  aud: [audience],
  sub: "system:serviceaccount:shop:default",
  ...{ iat: seconds, nbf: seconds, exp: seconds + 3600 },
  "kubernetes.io": { namespace: "shop", pod, serviceaccount: { name: "default", uid: "77" } },
  ...more,
});
const signed = (payload: JWTPayload = claims(), { kid, alg, privateKey }: Pair = first) =>
  new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(privateKey);

let published: Pair[];
let reads: string[];
let time: number;
let review: (token: string) => Promise<unknown>;
beforeEach(() => {
  published = [first, elliptic];
  reads = [];
  time = start;
  ({ review } = createTokenKeys({
    async read(path) {
      reads.push(path);
      return path === "/openid/v1/jwks" ? { keys: published.map(({ jwk }) => jwk) } : { issuer };
    },
    namespaces: ["shop", "sales"],
    now: () => time,
  }));
});

const refused = (token: string) =>
  review(token).then(
    () => "accepted",
    (error: unknown) => (error instanceof TokenRefused ? error.message : error),
  );

it("a worker's token names its pod, whichever of the keys signed it, and the keys are read once", async () => {
  const identity = { namespace: "shop", pod: pod.name, podUid: pod.uid };
  expect(await review(await signed())).toEqual(identity);
  expect(await review(await signed(claims(), elliptic))).toEqual(identity);
  expect(reads).toEqual(["/.well-known/openid-configuration", "/openid/v1/jwks"]);
});

describe("is refused:", () => {
  const ofKubernetes = (more: object) => ({ "kubernetes.io": { namespace: "shop", pod, ...more } });
  it.each<[string, () => string | Promise<string>, RegExp]>([
    ["what is no token", () => "abc", /not valid here/],
    ["one for another audience", () => signed(claims({ aud: "https://kubernetes.default.svc" })), /another audience/],
    ["one without an audience", () => signed(claims({ aud: undefined })), /another audience/],
    ["one of another issuer", () => signed(claims({ iss: "https://elsewhere.example" })), /not valid here/],
    ["one that has expired", () => signed(claims({ exp: seconds - 61 })), /not valid here/],
    ["one without an end", () => signed(claims({ exp: undefined })), /not valid here/],
    ["one of later", () => signed(claims({ nbf: seconds + 61 })), /not valid here/],
    ["one without a signature", () => new UnsecuredJWT(claims()).encode(), /not valid here/],
    ["one signed with an unpublished key", () => signed(claims(), second), /not valid here/],
    ["one signed with another key than it names", () => signed(claims(), { ...second, kid: "one" }), /not valid here/],
    [
      "one signed with the public key as a password",
      () =>
        new SignJWT(claims())
          .setProtectedHeader({ alg: "HS256", kid: "one" })
          .sign(new TextEncoder().encode(JSON.stringify(first.jwk))),
      /not valid here/,
    ],
    [
      "one whose claims were changed",
      async () => {
        const [header, , signature] = (await signed()).split(".");
        const [, other] = (await signed(claims({ sub: "system:serviceaccount:sales:default" }))).split(".");
        return [header, other, signature].join(".");
      },
      /not valid here/,
    ],
    ["one that is not bound to a pod", () => signed(claims(ofKubernetes({ pod: undefined }))), /not bound to a pod/],
    ["one of a pod without a uid", () => signed(claims(ofKubernetes({ pod: { name: "x" } }))), /not bound to a pod/],
    ["one of a user", () => signed(claims({ sub: "kubernetes-admin" })), /not bound to a pod/],
    ["one of two namespaces", () => signed(claims(ofKubernetes({ namespace: "sales" }))), /not bound to a pod/],
    [
      "one of a namespace that is not watched",
      () => signed(claims({ sub: "system:serviceaccount:other:default", ...ofKubernetes({ namespace: "other" }) })),
      /not one of watchNamespaces/,
    ],
  ])("%s", async (_what, token, words) => {
    expect(await refused(await token())).toMatch(words);
  });
});

it("a token of a new key has the keys read again, at most every ten seconds", async () => {
  await review(await signed());
  const token = await signed(claims(), second);
  time += 5_000;
  expect(await refused(token)).toMatch(/not valid here/);
  expect(reads, "too soon").toHaveLength(2);
  time += 6_000;
  published = [first, second];
  expect(await refused(token)).toBe("accepted");
  expect(reads).toHaveLength(4);
  for (const _ of [1, 2, 3]) await refused(await signed(claims(), { ...second, kid: "unknown" }));
  expect(reads, "for made-up names of keys").toHaveLength(4);
});

it("a key that was withdrawn is trusted for five minutes at most", async () => {
  const token = await signed();
  await review(token);
  published = [second];
  time += 299_000;
  expect(await refused(token)).toBe("accepted");
  time += 2_000;
  expect(await refused(token)).toMatch(/not valid here/);
});

it("an API server that does not answer is no refusal of the token", async () => {
  const broken = createTokenKeys({
    read: () => Promise.reject(new Error("down")),
    namespaces: ["shop"],
    now: () => time,
  });
  await expect(broken.review(await signed())).rejects.toThrow("down");
  await expect(broken.prepare()).rejects.toThrow("down");
});
