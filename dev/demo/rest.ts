import { Agent, request } from "node:https";
import { failure } from "../terminal/failure.ts";
import { onceReached } from "./until.ts";

/** REST as a person's own program calls it: HTTPS with the operator's CA, JSON both ways. */

/** Where the API is, and the CA that signed its certificate (PEM). */
export interface ApiPlace {
  baseUrl: string;
  ca: string;
}

export interface RestAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what it asked for
  body: any;
  cookie?: string;
}

export interface Rest {
  call(method: string, path: string, more?: { token?: string; cookie?: string; body?: unknown }): Promise<RestAnswer>;
  close(): void;
}

export function openRest({ baseUrl, ca }: ApiPlace): Rest {
  const agent = new Agent({ ca, keepAlive: true });
  const forever = new AbortController().signal;
  const send: Rest["call"] = (method, path, { token, cookie, body } = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // A session's changes are taken from the API's own pages alone.
        ...(cookie === undefined ? {} : { cookie, origin: baseUrl }),
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      };
      const sent = request(baseUrl + path, { method, agent, headers }, (response) => {
        let answer = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          answer += part;
        });
        response.once("error", reject);
        response.once("end", () => {
          const [session] = (response.headers["set-cookie"] ?? []).map((line) => line.split(";")[0] ?? "");
          resolve({
            status: response.statusCode ?? 0,
            body: answer === "" ? undefined : JSON.parse(answer),
            ...(session === undefined ? {} : { cookie: session }),
          });
        });
      });
      sent.once("error", reject);
      sent.end(text);
    });
  return {
    call: (...asked) => onceReached("the API", () => send(...asked), forever),
    close: () => agent.destroy(),
  };
}

export interface Person {
  email: string;
  token: string;
  /** Its acting team, and the team's namespace. */
  team: string;
  namespace: string;
}

/** Signs up, or in where the account is there already, and mints a token. Rejects with the answer. */
export async function enter(rest: Rest, email: string, password: string): Promise<Person> {
  const body = { email, password };
  let answer = await rest.call("POST", "/api/account", { body });
  if (answer.status === 409) answer = await rest.call("POST", "/api/session", { body });
  const { cookie } = answer;
  if (answer.status === 401)
    throw failure(
      `The account ${email} exists with another password.`,
      "The cluster is of an earlier version of this clone. Run `npm run down`, then the command again.",
    );
  if (answer.status >= 300 || cookie === undefined)
    throw new Error(`Sign-up failed: ${answer.status} ${JSON.stringify(answer.body)}`);
  const minted = await rest.call("POST", "/api/tokens", { cookie, body: { name: "demo" } });
  if (minted.status !== 201)
    throw new Error(`Creating a token failed: ${minted.status} ${JSON.stringify(minted.body)}`);
  const { token } = minted.body as { token: string };
  const who = await rest.call("GET", "/api/account", { token });
  const team = who.body.acting_team as string;
  return { email, token, team, namespace: `rowferry-${team}` };
}
