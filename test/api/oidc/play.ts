import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { oidcCookie } from "../../../src/requests/oidc/flow.ts";
import { sessionCookie } from "../../../src/requests/sessions/session.ts";
import type { Answer, Caller } from "../http.ts";
import { provided, startReplica } from "../world.ts";
import type { Issuer, IssuersPerson } from "./issuer.ts";

/** A browser that signs in with OpenID Connect. */

export const redirectUri = `${provided.baseUrl}/api/auth/oidc/callback`;

let files = 0;

/** The environment of an API whose people sign in at the issuer. */
export function oidcEnvironment(issuer: Issuer, settings: object = {}): Record<string, string> {
  files += 1;
  const file = join(provided.folder, `oidc-secret-${process.pid}-${files}`);
  // An editor writes a line end.
  writeFileSync(file, `${issuer.clientSecret}\n`);
  return {
    ROWFERRY_OIDC: JSON.stringify({ issuer: issuer.url, clientId: issuer.clientId, ...settings }),
    ROWFERRY_OIDC_SECRET_FILE: file,
  };
}

export const startOidcReplica = (issuer: Issuer, settings: object = {}, env: Record<string, string> = {}) =>
  startReplica({ ...oidcEnvironment(issuer, settings), ...env });

/** The pair of a cookie that an answer sets; undefined where it sets none, or deletes it. */
export const cookieSet = (answer: Answer, name: string): string | undefined =>
  answer.headers["set-cookie"]
    ?.map((line) => line.split(";")[0] ?? "")
    .find((pair) => pair.startsWith(`${name}=`) && pair !== `${name}=`);

export interface Started {
  /** The issuer's page. */
  page: string;
  /** The header by which the browser shows that it began. */
  cookie: string;
}

export async function start({ ask }: Pick<Caller, "ask">): Promise<Started> {
  const answer = await ask("/api/auth/oidc/start");
  if (answer.status !== 303) throw new Error(`start: ${answer.status} ${answer.text}`);
  return { page: answer.headers.location ?? "", cookie: cookieSet(answer, oidcCookie) ?? "" };
}

/** What the API answers to the browser that comes back. */
export const comeBack = ({ ask }: Pick<Caller, "ask">, at: URL, cookie: string): Promise<Answer> =>
  ask(`${at.pathname}${at.search}`, { cookie });

/** From the beginning to the end. */
export async function signInBy(caller: Pick<Caller, "ask">, issuer: Issuer, person: IssuersPerson): Promise<Answer> {
  const { page, cookie } = await start(caller);
  return comeBack(caller, await issuer.signIn(page, person), cookie);
}

export const sessionOf = (answer: Answer): string => cookieSet(answer, sessionCookie) ?? "";
