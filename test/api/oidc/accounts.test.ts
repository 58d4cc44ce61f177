import { beforeAll, describe, expect, it } from "vitest";
import { readEmail } from "../../../src/requests/accounts/email.ts";
import { oidcCookie } from "../../../src/requests/oidc/flow.ts";
import { kinds } from "../../../src/resources/objects.ts";
import { until } from "../../operator/control-plane.ts";
import type { Answer, Caller } from "../http.ts";
import { command, password, signIn } from "../who.ts";
import { admin, api, newEmail, provided, signUp } from "../world.ts";
import { type Issuer, type IssuersPerson, newPerson, startIssuer } from "./issuer.ts";
import { comeBack, cookieSet, redirectUri, sessionOf, signInBy, start, startOidcReplica } from "./play.ts";

/** Which account an identity signs in to: the one that it is linked to, and no other by an e-mail address. */

let issuer: Issuer;
/** Makes accounts, and does not. */
let open: Caller;
let closed: Caller;
beforeAll(async () => {
  issuer = await startIssuer(redirectUri);
  const replicas = await Promise.all([
    startOidcReplica(issuer, { createAccounts: true }, { ROWFERRY_SIGN_UP: "false" }),
    startOidcReplica(issuer),
  ]);
  [open, closed] = replicas.map(({ caller }) => caller) as [Caller, Caller];
}, 120_000);

const origin = { origin: provided.baseUrl };
const beginLink = (cookie: string, caller = closed) =>
  caller.ask("/api/auth/oidc/link", { method: "POST", cookie, headers: origin });
const unlink = (cookie: string) => closed.ask("/api/auth/oidc/link", { method: "DELETE", cookie, headers: origin });
/** Links from the session of `cookie`, in the browser that shows `shown` at the end. */
async function link(cookie: string, person: IssuersPerson, shown = cookie): Promise<Answer> {
  const begun = await beginLink(cookie);
  if (begun.status !== 200) return begun;
  const flow = cookieSet(begun, oidcCookie) ?? "";
  return comeBack(closed, await issuer.signIn(begun.body.url, person), `${flow}; ${shown}`);
}
const notLinked = { status: 409, body: { code: "oidc_not_linked" } };
const refused = { status: 403, body: { code: "oidc_refused" } };
const expectNoSession = (answer: Answer, as: object) => {
  expect(answer).toMatchObject(as);
  expect(sessionOf(answer)).toBe("");
};
const accountBy = (email: string) => admin.get(kinds.accounts, "", readEmail(email).account);

describe("an account with the same e-mail address", () => {
  it("and a password is not opened, until its owner links the identity", async () => {
    const owner = await signUp();
    const person = newPerson({ email: owner.email });
    for (const caller of [open, closed]) expectNoSession(await signInBy(caller, issuer, person), notLinked);
    expect((await accountBy(owner.email))?.spec.identities).toBeUndefined();

    expect(await link(owner.cookie, person)).toMatchObject({ status: 303, body: { message: "Linked." } });
    expect((await accountBy(owner.email))?.spec.identities).toEqual([
      { issuer: issuer.url, subject: person.subject, linkedAt: expect.any(String) },
    ]);
    for (const caller of [open, closed]) {
      const answer = await signInBy(caller, issuer, person);
      expect(answer).toMatchObject({ status: 303, body: { account: { email: owner.email } } });
      expect((await api("/api/account", { cookie: sessionOf(answer) })).body.acting_team).toBe(owner.team);
    }
    expect((await signIn(owner.email, owner.password)).status).toBe(200);
  });

  it("is not opened by another subject with its address, whether it has a password or not", async () => {
    const [linked, made] = [await signUp(), newPerson()];
    expect((await link(linked.cookie, newPerson({ email: linked.email }))).status).toBe(303);
    expect((await signInBy(open, issuer, made)).status).toBe(303);
    for (const email of [linked.email, made.email ?? ""])
      for (const written of [email, email.toUpperCase()])
        expectNoSession(await signInBy(open, issuer, newPerson({ email: written })), notLinked);
  });

  it("is not opened by the same subject of another issuer", async () => {
    const other = await startIssuer(redirectUri);
    const replica = await startOidcReplica(other, { createAccounts: true });
    const person = newPerson();
    expect((await signInBy(open, issuer, person)).status).toBe(303);
    expectNoSession(await signInBy(replica.caller, other, person), notLinked);
  });

  it("is not taken by signing up with a password, when an identity made it", async () => {
    const { email = "", ...person } = newPerson();
    expect((await signInBy(open, issuer, { ...person, email })).status).toBe(303);
    const taken = await api("/api/account", { body: { email, password } });
    expect(taken).toMatchObject({ status: 409, body: { code: "already_exists" } });
    expect((await signIn(email, password)).status).toBe(401);
    expect(await command(["set-password", email], password)).toMatchObject({ code: 0, err: "" });
    expect((await signIn(email, password)).status).toBe(200);
    expect((await signInBy(closed, issuer, { ...person, email })).status).toBe(303);
  });
});

describe("a link", () => {
  it("is begun by a session from our own origin, and by no token", async () => {
    const owner = await signUp();
    const path = "/api/auth/oidc/link";
    expect(await closed.ask(path, { method: "POST", token: owner.token })).toMatchObject({
      status: 403,
      body: { code: "session_required" },
    });
    const foreign = { method: "POST", cookie: owner.cookie, headers: { origin: "https://evil.example" } };
    expect(await closed.ask(path, foreign)).toMatchObject({ status: 403, body: { code: "origin_refused" } });
    expect((await closed.ask(path, { method: "POST" })).status).toBe(401);
  });

  it("needs the account's own address, verified", async () => {
    const owner = await signUp();
    for (const claims of [{}, { email: owner.email, email_verified: false }, { email: undefined }])
      expectNoSession(await link(owner.cookie, newPerson(claims as Partial<IssuersPerson>)), refused);
    expect((await accountBy(owner.email))?.spec.identities).toBeUndefined();
  });

  it("ends in the session that began it, while that holds", async () => {
    const [owner, other] = [await signUp(), await signUp()];
    const person = newPerson({ email: owner.email });
    const second = sessionOf(await signIn(owner.email, owner.password));
    for (const shown of [other.cookie, second, ""]) expectNoSession(await link(owner.cookie, person, shown), refused);
    const begun = await beginLink(owner.cookie);
    await api("/api/session", { method: "DELETE", cookie: owner.cookie, headers: origin });
    const back = await issuer.signIn(begun.body.url, person);
    const cookies = `${cookieSet(begun, oidcCookie)}; ${owner.cookie}`;
    expectNoSession(await comeBack(closed, back, cookies), refused);
    expect((await accountBy(owner.email))?.spec.identities).toBeUndefined();
  });

  it("is one at an issuer", async () => {
    const owner = await signUp();
    const [one, two] = [newPerson({ email: owner.email }), newPerson({ email: owner.email })];
    expect((await link(owner.cookie, one)).status).toBe(303);
    expect((await link(owner.cookie, one)).status).toBe(303);
    expectNoSession(await link(owner.cookie, two), { status: 409, body: { code: "state_conflict" } });
    expectNoSession(await signInBy(open, issuer, two), notLinked);
  });

  it("ends when its owner or an administrator removes it, and can be made again", async () => {
    const owner = await signUp();
    const person = newPerson({ email: owner.email });
    expect((await link(owner.cookie, person)).status).toBe(303);
    expect((await unlink(owner.cookie)).status).toBe(200);
    expectNoSession(await signInBy(open, issuer, person), notLinked);
    expect((await link(owner.cookie, person)).status).toBe(303);
    const found = await accountBy(owner.email);
    if (found === undefined) throw new Error("no account");
    await admin.update(kinds.accounts, { ...found, spec: { ...found.spec, identities: [] } });
    expectNoSession(await signInBy(open, issuer, person), notLinked);
    expect((await link(owner.cookie, person)).status).toBe(303);
    expect((await signInBy(closed, issuer, person)).status).toBe(303);
  });

  it("stays on an account without a password", async () => {
    const person = newPerson();
    const cookie = sessionOf(await signInBy(open, issuer, person));
    expect(await unlink(cookie)).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    expect((await signInBy(closed, issuer, person)).status).toBe(303);
  });
});

describe("a person without an account", () => {
  it("gets none where the installation makes none", async () => {
    const person = newPerson();
    expectNoSession(await signInBy(closed, issuer, person), { status: 403, body: { code: "sign_up_closed" } });
    expect(await accountBy(person.email ?? "")).toBeUndefined();
  });

  it.each<[string, Partial<IssuersPerson>]>([
    ["is not verified", { email_verified: false }],
    ["nothing is said of", { email_verified: undefined } as never],
    ["is not there", { email: undefined } as never],
    ["is none", { email: "ann@@example.com" }],
  ])("gets none by an address that %s", async (_what, claims) => {
    expectNoSession(await signInBy(open, issuer, newPerson(claims)), refused);
  });

  it("gets one by an address that is verified in another form of the word", async () => {
    expect((await signInBy(open, issuer, newPerson({ email_verified: "true" }))).status).toBe(303);
  });

  it("gets one account of ten sign-ins at once", async () => {
    const person = newPerson();
    const begun = await Promise.all(Array.from({ length: 10 }, () => start(open)));
    const back = await Promise.all(begun.map(({ page }) => issuer.signIn(page, person)));
    const answers = await Promise.all(back.map((at, nth) => comeBack(open, at, begun[nth]?.cookie ?? "")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    expect(new Set(answers.map(({ body }) => body.account.personal_team)).size).toBe(1);
  });

  it("who had one that was deleted gets a new one, in which nothing of the old is", async () => {
    const person = newPerson();
    const first = await signInBy(open, issuer, person);
    const old = sessionOf(first);
    const found = await accountBy(person.email ?? "");
    await admin.remove(kinds.accounts, "", found?.metadata.name ?? "", found?.metadata.uid ?? "");
    await until("the session to end", async () => (await open.ask("/api/account", { cookie: old })).status === 401);
    const second = await signInBy(open, issuer, person);
    expect(second.status).toBe(303);
    expect(second.body.account.personal_team).not.toBe(first.body.account.personal_team);
    expect((await open.ask("/api/account", { cookie: old })).status).toBe(401);
  });

  it("counts in the limits of sign-ups, which a sign-in does not", async () => {
    const limits = { credentials_signUp: [{ points: 1, seconds: 3600 }] };
    const env = { ROWFERRY_LIMITS: JSON.stringify(limits) };
    const { caller } = await startOidcReplica(issuer, { createAccounts: true }, env);
    const person = newPerson();
    for (let count = 0; count < 3; count += 1) expect((await signInBy(caller, issuer, person)).status).toBe(303);
    const second = newPerson();
    expectNoSession(await signInBy(caller, issuer, second), { status: 429, body: { code: "rate_limited" } });
    expect(await accountBy(second.email ?? "")).toBeUndefined();
  });
});

describe("settings", () => {
  it("let in domains alone, at each sign-in", async () => {
    const { caller } = await startOidcReplica(issuer, { createAccounts: true, allowedDomains: ["Staff.Example"] });
    const inside = newPerson({ email: newEmail().replace("example.com", "STAFF.example") });
    expect((await signInBy(caller, issuer, inside)).status).toBe(303);
    for (const domain of ["example.com", "evil-staff.example", "sub.staff.example", "staff.example.evil.example"])
      expectNoSession(await signInBy(caller, issuer, { ...inside, email: `ann@${domain}` }), refused);
    expectNoSession(await signInBy(caller, issuer, { ...inside, email_verified: false }), refused);
    expect((await signInBy(caller, issuer, inside)).status).toBe(303);
  });

  it("can disable passwords; sessions and tokens stay", async () => {
    const { caller } = await startOidcReplica(issuer, { only: true });
    const owner = await signUp();
    const person = newPerson({ email: owner.email });
    expect((await link(owner.cookie, person)).status).toBe(303);
    const disabled = { status: 403, body: { code: "passwords_disabled" } };
    const body = { email: owner.email, password: owner.password };
    for (const path of ["/api/session", "/api/account"]) expectNoSession(await caller.ask(path, { body }), disabled);
    expect((await caller.ask("/api/auth")).body.password).toBe(false);
    const cookie = sessionOf(await signInBy(caller, issuer, person));
    for (const by of [{ cookie }, { cookie: owner.cookie }, { token: owner.token }])
      expect((await caller.ask("/api/account", by)).status).toBe(200);
    const removed = await caller.ask("/api/auth/oidc/link", { method: "DELETE", cookie, headers: origin });
    expect(removed).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  });

  it("trust an address of which the issuer says nothing, and none of which it says no", async () => {
    const { caller } = await startOidcReplica(issuer, { createAccounts: true, trustEmails: true });
    const { email = "", subject } = newPerson();
    expectNoSession(await signInBy(caller, issuer, newPerson({ email_verified: false })), refused);
    expect((await signInBy(caller, issuer, { email, subject })).status).toBe(303);
  });
});

it("is in the account's events: from where, and how it ended", async () => {
  const answer = await signInBy(open, issuer, newPerson());
  const cookie = sessionOf(answer);
  const events = await until("the event", async () => {
    const { body } = await open.ask("/api/account/events", { cookie });
    return body.data.length > 0 && body.data;
  });
  expect(events).toMatchObject([
    { verb: "finishOidcSignIn", account: answer.body.account.id, result: "done", address: "127.0.0.1" },
  ]);
});
