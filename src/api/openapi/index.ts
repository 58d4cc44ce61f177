import { sessionCookie } from "../../requests/sessions/session.ts";
import { tiers } from "../../requests/tiers.ts";
import type { LimitName } from "../limits.ts";
import { besideRest } from "./beside.ts";
import { type Components, createComponents, type Json } from "./components.ts";
import type { Operation } from "./operation.ts";
import { capital, isTagged, responsesOf } from "./responses.ts";

/** OpenAPI 3.1, made from the operations and from the same schemas that check their input. */
interface DocumentOptions {
  baseUrl: string;
  version: string;
  limits: Readonly<Record<LimitName, readonly { points: number; seconds: number }[]>>;
}

const description = `Copies MySQL and PostgreSQL databases from one URL to another and verifies what it copied.

Create a migration, then poll it until its \`status\` is \`completed\` or \`failed\`; at \`awaiting_payment\`, open \`checkout_url\` of the create response and pay first. Every call works on the resources of the acting team of the token's owner.

Errors are \`application/problem+json\` with a stable \`code\`. The response repeats a request's \`X-Request-Id\`. A body is JSON of at most 64 KB; unknown fields are refused.`;

const tags: Record<string, string> = {
  Migrations: "Copies of a database from a source to a target.",
  "Preflight, estimates and connection tests": "Requests about databases that create nothing.",
  Backups: "Schedules, their runs, and restores. An installation without backups returns `backups_disabled`.",
  Account: "Sign-up, sign-in, the password, and the account of the caller.",
  Tokens: "Personal API tokens.",
  Teams: "People who share migrations.",
  Billing: "Payment.",
  Service: "The service itself.",
};

const session = (operation: Operation): boolean => operation.auth === "token";

function parametersOf(operation: Operation, components: Components): Json[] {
  const from = (schema: Operation["params"], where: "path" | "query"): Json[] => {
    if (schema === undefined) return [];
    const { properties = {}, required = [] } = components.inline(schema, "input") as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, { description: words, ...rest }]) => ({
      name,
      in: where,
      required: where === "path" || required.includes(name),
      ...(words === undefined ? {} : { description: words }),
      schema: rest,
    }));
  };
  const header = (name: string, words: string, schema: Json): Json => ({
    name,
    in: "header",
    required: false,
    description: words,
    schema,
  });
  return [
    ...from(operation.params, "path"),
    ...from(operation.query, "query"),
    ...(operation.idempotent
      ? [
          header(
            "Idempotency-Key",
            "A key of your choice, for example a UUID. A repeat of the same call with the same key returns the same result and changes nothing.",
            { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
          ),
        ]
      : []),
    ...(operation.streams
      ? [
          header("Last-Event-ID", "The `id` of the last event that you received: the stream resumes after it.", {
            type: "string",
          }),
        ]
      : []),
    ...(isTagged(operation)
      ? [header("If-None-Match", "The ETag that you have: unless it changed, the response is 304.", { type: "string" })]
      : []),
  ];
}

function limitsOf({ auth, tier }: Operation, limits: DocumentOptions["limits"]): Json {
  if (auth === "credentials")
    return {
      "x-rate-limit-tier": "credentials",
      "x-rate-limits": {
        account: limits.credentials_account,
        account_and_address: limits.credentials_accountAndAddress,
        address: limits.credentials_address,
        device: limits.credentials_device,
        sign_up: limits.credentials_signUp,
        sign_up_in_all: limits.credentials_signUpInAll,
      },
    };
  return { "x-rate-limit-tier": tier, ...(tier === "none" ? {} : { "x-rate-limits": limits[tier] }) };
}

const securityOf = ({ auth, sessionOnly }: Operation): Json[] =>
  auth === "token" ? [...(sessionOnly ? [] : [{ token: [] }]), { session: [] }] : [];

function operationObject(operation: Operation, components: Components, options: DocumentOptions): Json {
  const { body, examples } = operation;
  const parameters = parametersOf(operation, components);
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    security: securityOf(operation),
    ...limitsOf(operation, options.limits),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: operation.bodyOptional !== true,
            content: {
              "application/json": {
                schema: components.schema(body, "input", `${capital(operation.id)}Request`),
                ...(examples.request === undefined ? {} : { example: examples.request }),
              },
            },
          },
        }),
    responses: responsesOf(operation, components),
  };
}

export function openApi(operations: readonly Operation[], options: DocumentOptions): Json {
  const components = createComponents();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const described = operationObject(operation, components, options);
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described };
  }
  const beside = besideRest(components, options.limits.search);
  Object.assign(paths, beside.paths);
  const used = [...new Set(operations.map(({ tag }) => tag))];
  return {
    openapi: "3.1.1",
    info: {
      title: "Rowferry",
      version: options.version,
      description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: options.baseUrl }],
    tags: [...used.map((name) => ({ name, description: tags[name] ?? name })), ...beside.tags],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A complete personal API token: digits, a vertical bar and a random part.",
        },
        ...(operations.some(session)
          ? {
              session: {
                type: "apiKey",
                in: "cookie",
                name: sessionCookie,
                description:
                  "The session cookie of the console. A request that changes something also needs the `Origin` header of this service.",
              },
            }
          : {}),
      },
      ...components.all(options.baseUrl),
    },
    "x-rate-limit-tiers": Object.fromEntries(
      Object.keys(tiers).map((tier) => [tier, options.limits[tier as LimitName]]),
    ),
  };
}
