import type * as z from "zod";
import { changePassword } from "../../requests/accounts/account.ts";
import { accountEventSchema, listAccountEvents, type ShownEvent } from "../../requests/accounts/account-events.ts";
import {
  accountSchema,
  credentialsSchema,
  listOf,
  pageSchema,
  passwordChangeSchema,
  resultOf,
  type SignedIn,
  shownAccount,
  signUpSchema,
} from "../../requests/accounts/shapes.ts";
import { signUp } from "../../requests/accounts/sign-up.ts";
import { deviceCookie, deviceSeconds } from "../../requests/sessions/device.ts";
import { sessionCookie, sessionSeconds } from "../../requests/sessions/session.ts";
import { signIn } from "../../requests/sessions/sign-in.ts";
import { signOut } from "../../requests/sessions/sign-out.ts";
import { mostAccountEvents } from "../../resources/account-log.ts";
import type { Operation, OperationResult } from "../openapi/operation.ts";
import { taggedOperations } from "./authenticated.ts";

/** Sign up, in and out; who I am; another password. */

const tag = "Account";
const { ofAccount } = taggedOperations(tag);

export const exampleAccount: z.output<typeof accountSchema> = {
  id: "a5fb8ed04ea0ac7a5b2a6fdc2d3cbd4c4e1a2b2f9",
  email: "ann@example.com",
  plan: "free",
  acting_team: "t0f6f7a3c2ddc1b0d0a11",
  personal_team: "t0f6f7a3c2ddc1b0d0a11",
  created_at: "2030-01-31T12:00:00.000Z",
};
const exampleEvent: ShownEvent = {
  id: "0d4f1c52-8a0e-4d2b-9c3e-7f7a0c5b1e11",
  created_at: "2030-01-31T12:00:00.000Z",
  account: exampleAccount.id,
  token_id: "482915073648201",
  session_id: null,
  address: "203.0.113.7",
  verb: "createMigration",
  team: exampleAccount.acting_team,
  object: "0b0f3a0e-3c8b-4f0e-9d4e-3a7d2b1c5e6f",
  result: "done",
};
const exampleCredentials = { email: "ann@example.com", password: "correct horse battery" };

type Cookies = NonNullable<OperationResult["cookies"]>;

/** Of a session that was just opened. */
export const sessionCookies = ({ cookie, device }: Omit<SignedIn, "account">): Cookies => [
  { name: sessionCookie, value: cookie, maxAgeSeconds: sessionSeconds },
  ...(device === undefined ? [] : [{ name: deviceCookie, value: device, maxAgeSeconds: deviceSeconds }]),
];

const withSession = (message: string, { account, ...opened }: SignedIn): OperationResult => ({
  body: { message, account },
  cookies: sessionCookies(opened),
});

export const answered = resultOf({ account: accountSchema });

export const accountOperations: readonly Operation[] = [
  {
    id: "signUp",
    method: "post",
    path: "/api/account",
    summary: "Sign up",
    description:
      "Makes an account and its personal team, which becomes the acting team, and opens a session: the response sets its cookie. Sign-up can be closed in an installation. Sign-ups are limited by address.",
    tag,
    auth: "credentials",
    tier: "none",
    body: signUpSchema,
    answer: {
      status: 201,
      description: "The account is created and signed in.",
      schema: answered,
      location: "/api/account",
    },
    problems: ["already_exists", "sign_up_closed", "passwords_disabled", "limit_reached", "busy"],
    examples: { request: exampleCredentials, response: { message: "Welcome.", account: exampleAccount } },
    async run(world, { body, address, attempt }) {
      return withSession("Welcome.", await signUp(world, signUpSchema.parse(body), { address, attempt }));
    },
  },
  ofAccount({
    id: "getAccount",
    method: "get",
    path: "/api/account",
    summary: "Get the account",
    description: "The account of the token or session.",
    answer: { status: 200, description: "The account.", schema: accountSchema },
    problems: [],
    examples: { response: exampleAccount },
    run: async (_world, { account }) => ({ body: shownAccount(account) }),
  }),
  ofAccount({
    id: "listAccountEvents",
    method: "get",
    path: "/api/account/events",
    summary: "List the account's events (audit log)",
    description: `Sign-ins, and changes that your tokens and sessions made or tried, newest first. Each event has the token, address, action, object and result. The last ${mostAccountEvents} are kept. A new event is listed a few seconds after its call. Calls over a rate limit and refused sign-ins are not listed; the service's log has them.`,
    query: pageSchema,
    answer: { status: 200, description: "A page of events.", schema: listOf(accountEventSchema) },
    problems: [],
    examples: { response: { data: [exampleEvent], next_cursor: null } },
    run: async (world, identity, call) => ({ body: await listAccountEvents(world, identity, call.query) }),
  }),
  ofAccount({
    id: "changePassword",
    method: "patch",
    path: "/api/account",
    summary: "Change the password",
    description:
      "Ends every session of the account, on every replica, before it returns. A session that makes this call gets a new one. Tokens stay valid, unless `revoke_tokens` is true. Attempts with a wrong current password have a limit of their own.",
    body: passwordChangeSchema,
    answer: { status: 200, description: "The new password is set.", schema: answered },
    problems: ["state_conflict", "busy"],
    examples: {
      request: { password: "correct horse battery", new_password: "staple correct horse" },
      response: { message: "The new password is set.", account: exampleAccount },
    },
    async run(world, identity, call) {
      const changed = await changePassword(world, identity, call.body, call);
      const message = "The new password is set.";
      return identity.session ? withSession(message, changed) : { body: { message, account: changed.account } };
    },
  }),
  {
    id: "signIn",
    method: "post",
    path: "/api/session",
    summary: "Sign in",
    description: `Opens a session of ${sessionSeconds / 86_400} days: the response sets its cookie. A change made with the cookie also needs the header Origin of this service. Failures are limited by account and by address; those in a browser that signed in before, which shows its second cookie, are counted by themselves.`,
    tag,
    auth: "credentials",
    tier: "none",
    body: credentialsSchema,
    answer: { status: 200, description: "Signed in.", schema: answered },
    problems: ["credentials_refused", "passwords_disabled", "busy"],
    examples: { request: exampleCredentials, response: { message: "Signed in.", account: exampleAccount } },
    async run(world, call) {
      return withSession("Signed in.", await signIn(world, credentialsSchema.parse(call.body), call));
    },
  },
  ofAccount({
    id: "signOut",
    method: "delete",
    path: "/api/session",
    summary: "Sign out",
    description:
      "Ends the session of this call, on every replica, before it returns. Other sessions and tokens stay valid.",
    sessionOnly: true,
    answer: { status: 200, description: "Signed out.", schema: resultOf({}) },
    problems: ["state_conflict"],
    examples: { response: { message: "Signed out." } },
    async run(world, identity) {
      await signOut(world, identity);
      return {
        body: { message: "Signed out." },
        cookies: [{ name: sessionCookie, value: "", maxAgeSeconds: 0 }],
      };
    },
  }),
];
