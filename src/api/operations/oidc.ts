import * as z from "zod";
import { resultOf } from "../../requests/accounts/shapes.ts";
import { finishOidc } from "../../requests/oidc/finish.ts";
import { oidcCookie, oidcSeconds } from "../../requests/oidc/flow.ts";
import { unlink } from "../../requests/oidc/links.ts";
import { type OidcStart, startOidc, startOidcLink } from "../../requests/oidc/start.ts";
import type { Operation } from "../openapi/operation.ts";
import { answered, exampleAccount, sessionCookies } from "./account.ts";
import { taggedOperations } from "./authenticated.ts";

/** Sign-in with OpenID Connect, in a browser: to the issuer's page, and back. */

const tag = "Account";
const { ofAccount } = taggedOperations(tag);

const methodsSchema = z.object({
  password: z.boolean().describe("Whether an e-mail address and a password sign in."),
  oidc: z
    .object({
      name: z.string().describe("Name of the sign-in service."),
      start_url: z.string().describe("URL where a browser starts."),
    })
    .nullable()
    .describe("Sign-in with OpenID Connect; null: this installation has none."),
});
const message = resultOf({});
const linkSchema = resultOf({
  url: z.string().describe("The sign-in service's page."),
});
const continues = "Continue at the sign-in service.";
const startPath = "/api/auth/oidc/start";
const linkPath = "/api/auth/oidc/link";

/** Of the characters that the standards allow. */
const visible = z.string().regex(/^[\x20-\x7e]*$/, { error: "must be visible characters of ASCII" });
const upTo = (longest: number, what: string) => visible.max(longest).describe(what).exactOptional();

/** What an issuer sends the browser back with: RFC 6749, 4.1.2; RFC 9207. */
const callbackSchema = z.object({
  code: visible.describe("The issuer's code, as long as the headers may be.").exactOptional(),
  state: upTo(200, "As the sign-in began."),
  iss: upTo(300, "The issuer's URL."),
  error: upTo(200, "Why the issuer refused."),
});

/** Only the browser that begins can end it. */
const beginning = ({ cookie }: OidcStart) => ({ name: oidcCookie, value: cookie, maxAgeSeconds: oidcSeconds });

export const oidcOperations: readonly Operation[] = [
  {
    id: "getSignInMethods",
    method: "get",
    path: "/api/auth",
    summary: "Get the ways to sign in",
    description: "Whether passwords, OpenID Connect or both sign in to this installation.",
    tag,
    auth: "none",
    tier: "none",
    answer: { status: 200, description: "The ways.", schema: methodsSchema },
    problems: [],
    examples: {
      response: {
        password: true,
        oidc: { name: "Example Login", start_url: `https://rowferry.example.com${startPath}` },
      },
    },
    async run({ oidc, settings }) {
      const start_url = `${settings.baseUrl}${startPath}`;
      const shown = oidc === undefined ? null : { name: oidc.name, start_url };
      return { body: { password: !oidc?.only, oidc: shown } };
    },
  },
  {
    id: "startOidcSignIn",
    method: "get",
    path: startPath,
    summary: "Start a sign-in with OpenID Connect",
    description: `Open it in a browser. It sets a cookie for ${oidcSeconds / 60} minutes and redirects to the sign-in service, which leads back to the callback.`,
    tag,
    auth: "credentials",
    tier: "none",
    answer: { status: 303, description: "To the sign-in service, in the header Location.", schema: message },
    problems: ["not_found"],
    examples: { response: { message: continues } },
    async run(world) {
      const start = await startOidc(world);
      return { body: { message: continues }, headers: { Location: start.url }, cookies: [beginning(start)] };
    },
  },
  {
    id: "finishOidcSignIn",
    method: "get",
    path: "/api/auth/oidc/callback",
    summary: "Finish a sign-in with OpenID Connect",
    description:
      "The sign-in service leads the browser here. Opens a session, as `POST /api/session` does, and redirects to this service's first page. A person without an account gets one only if the installation allows it. Failures are limited by address.",
    tag,
    auth: "credentials",
    audited: true,
    tier: "none",
    query: callbackSchema,
    queryOfOthers: true,
    answer: { status: 303, description: "Signed in, or linked: to this service's first page.", schema: answered },
    problems: [
      "oidc_refused",
      "oidc_not_linked",
      "sign_up_closed",
      "not_found",
      "state_conflict",
      "limit_reached",
      "already_exists",
      "busy",
    ],
    examples: { response: { message: "Signed in.", account: exampleAccount } },
    async run(world, call) {
      const { account, opened } = await finishOidc(world, callbackSchema.parse(call.query), call);
      return {
        body: { message: opened === undefined ? "Linked." : "Signed in.", account },
        // A fixed page: nothing that a caller sent leads anywhere.
        headers: { Location: `${world.settings.baseUrl}/` },
        cookies: [
          { name: oidcCookie, value: "", maxAgeSeconds: 0 },
          ...(opened === undefined ? [] : sessionCookies(opened)),
        ],
      };
    },
  },
  ofAccount({
    id: "linkOidc",
    method: "post",
    path: linkPath,
    summary: "Link an OpenID Connect identity",
    description:
      "Links an identity of the sign-in service to the account of the session, so that it can sign in from then on. Send the browser to `url`. The e-mail address that the sign-in service verified must be the account's.",
    sessionOnly: true,
    answer: { status: 200, description: "The address to open in the browser.", schema: linkSchema },
    problems: ["not_found", "session_required"],
    examples: {
      response: {
        message: continues,
        url: "https://login.example.com/authorize?client_id=rowferry&response_type=code",
      },
    },
    async run(world, identity) {
      const start = await startOidcLink(world, identity);
      return { body: { message: continues, url: start.url }, cookies: [beginning(start)] };
    },
  }),
  ofAccount({
    id: "unlinkOidc",
    method: "delete",
    path: linkPath,
    summary: "Unlink OpenID Connect identities",
    description:
      "Removes all identities from the account of the session: none of them can sign in to it any more. Sessions and tokens stay valid. An account without a password keeps them.",
    sessionOnly: true,
    answer: { status: 200, description: "Unlinked.", schema: message },
    problems: ["session_required", "state_conflict"],
    examples: { response: { message: "Unlinked." } },
    async run(world, identity) {
      await unlink(world, identity);
      return { body: { message: "Unlinked." } };
    },
  }),
];
