import { createSlugs } from "../../src/api/docs/render.ts";
import { sessionCookie } from "../../src/requests/sessions/session.ts";
import { describeApi } from "./api-description.ts";
import { fieldRows, type Schema, shapeOf } from "./schemas.ts";
import { code, generatedFrom, markdownTable } from "./table.ts";

/** docs/endpoints.md: every operation as the OpenAPI document describes it. */

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Described {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  "x-rate-limit-tier": string;
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation extends Described {
  method: string;
  path: string;
}

const codesOf = ({ responses }: Described): string[] =>
  Object.values(responses).flatMap(({ content }) => Object.keys(content?.["application/problem+json"]?.examples ?? {}));

const common = (operations: readonly Operation[]): string[] =>
  operations.map(codesOf).reduce((all, codes) => all.filter((one) => codes.includes(one)));

const unlessStreams = "not_acceptable";

const links = (codes: readonly string[]): string => codes.map((one) => `[\`${one}\`](errors.md#${one})`).join(", ");

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** A token where it serves; else the session's cookie, with the header that a change needs beside it. */
function credentials(security: Described["security"]): string[] {
  if (security.length === 0) return [];
  return security.some((one) => "token" in one)
    ? ["Authorization: Bearer 482915073648201|rfy_…"]
    : [`Cookie: ${sessionCookie}=…`, "Origin: https://rowferry.example"];
}

/** The parameters of the query that have an example. */
function queryOf(parameters: Described["parameters"] = []): string {
  const given = parameters.flatMap(({ name, in: where, schema }): [string, string][] => {
    const [example] = schema.examples ?? [];
    return where === "query" && example !== undefined ? [[name, String(example)]] : [];
  });
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

function request({ method, path, security, parameters, requestBody }: Operation): string {
  const example = requestBody?.content["application/json"]?.example;
  const lines = [
    `${method.toUpperCase()} ${path}${queryOf(parameters)}`,
    ...credentials(security),
    ...(example === undefined ? [] : ["Content-Type: application/json", "", JSON.stringify(example, null, 2)]),
  ];
  return `\`\`\`http\n${lines.join("\n")}\n\`\`\``;
}

function answers({ responses }: Operation, schemas: Document["components"]["schemas"]): string[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([status, { description, content = {} }]) => {
      const [[type, media] = []] = Object.entries(content);
      const named =
        type === "application/json" && media?.schema !== undefined ? shapeOf(media.schema, schemas) : undefined;
      const shape = named === undefined ? "" : ` Its fields: ${named}.`;
      const words = `**${status}** ${type === undefined || type === "application/json" ? "" : `\`${type}\` `}${description}${shape}`;
      return [
        words,
        ...fieldsOf(media?.schema, schemas),
        ...(media?.example === undefined ? [] : [json(media.example)]),
      ];
    });
}

/** The fields of an answer that is no shape of its own, and of each kind of a stream's events. */
function fieldsOf(schema: Schema | undefined, schemas: Document["components"]["schemas"]): string[] {
  const data = schema?.properties?.["data"]?.contentSchema;
  const kinds = data === undefined ? [isOwn(schema) ? schema : {}] : (data.anyOf ?? [data]);
  return kinds.flatMap((kind) => {
    const rows = fieldRows(kind, schemas);
    const words = data === undefined || kind.description === undefined ? [] : [kind.description];
    return rows.length === 0 ? [] : [...words, markdownTable(["field", "type", "what it is"], rows)];
  });
}

/** Not explained below "Shapes". */
const isOwn = (schema: Schema | undefined): schema is Schema =>
  schema !== undefined && (schema.$ref === undefined || /Answer\d*$/.test(schema.$ref));

function section(operation: Operation, known: readonly string[], schemas: Document["components"]["schemas"]): string {
  const { summary, description, parameters = [], requestBody } = operation;
  const tier = operation["x-rate-limit-tier"];
  const limit =
    tier === "none" ? "not limited" : tier === "credentials" ? "limited by account and address" : `tier \`${tier}\``;
  const without = operation.security.length === 0 ? " · without a token" : "";
  const headers = new Set(["If-None-Match"]);
  const shown = parameters.filter(({ name }) => !headers.has(name));
  const body = requestBody?.content["application/json"]?.schema;
  const codes = codesOf(operation).filter((one) => !known.includes(one));
  return [
    `### ${summary}`,
    `\`${operation.method.toUpperCase()} ${operation.path}\` · ${limit}${without}`,
    description,
    ...(shown.length === 0
      ? []
      : [
          markdownTable(
            ["parameter", "in", "what it is"],
            shown.map(({ name, in: where, required, description: words = "" }) => [
              code(name),
              where,
              required && where !== "path" ? `required: ${words}` : words,
            ]),
          ),
        ]),
    ...(body === undefined ? [] : [markdownTable(["field", "type", "what it is"], fieldRows(body, schemas))]),
    request(operation),
    ...answers(operation, schemas),
    ...(codes.length === 0 ? [] : [`Errors of its own: ${links(codes)}.`]),
  ].join("\n\n");
}

export function endpointsPage(): string {
  const document = describeApi() as unknown as Document;
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => ({ ...described, method, path })),
  );
  // The MCP servers and the documentation have no codes of REST.
  const rest = operations.filter((one) => codesOf(one).length > 0);
  const tokened = rest.filter(({ security }) => security.length > 0);
  const ofAll = common(rest);
  const ofTokens = common(tokened).filter((one) => !ofAll.includes(one));
  const ofChanges = common(tokened.filter(({ method }) => method !== "get")).filter(
    (one) => !ofAll.includes(one) && !ofTokens.includes(one) && one !== unlessStreams,
  );
  const known = [...ofAll, ...ofTokens, ...ofChanges, unlessStreams];
  const slug = createSlugs();
  // The slugs are taken in the order of the page's headings.
  slug("Endpoints");
  const parts = document.tags.map(({ name, description }) => {
    slug(name);
    const own = operations.filter(({ tags }) => tags[0] === name);
    const rows = own.map((one) => [
      `[${one.summary}](#${slug(one.summary)})`,
      code(`${one.method.toUpperCase()} ${one.path}`),
      one["x-rate-limit-tier"],
    ]);
    return {
      rows,
      text: [`## ${name}`, description, ...own.map((one) => section(one, known, schemas))].join("\n\n"),
    };
  });
  const shapes = [
    "Migration",
    "ListedMigration",
    "Preflight",
    "Estimate",
    "Connection",
    "Backup",
    "BackupRun",
    "BackupRunDetail",
    "Restore",
    "RestoreDetail",
    "Account",
    "Token",
    "Team",
    "Member",
  ];
  return `${generatedFrom("the operations of src/api")}

# Endpoints

Every endpoint of the REST API, with parameters, response fields, errors and an example. For developers. \`GET /openapi.json\` serves the same description. [rest.md](rest.md) has the conventions that all endpoints share, [authentication.md](authentication.md) the tokens and sessions.

${markdownTable(
  ["what it does", "method and path", "tier"],
  parts.flatMap(({ rows }) => rows),
)}

Each endpoint lists its own errors. These errors are common:

- every endpoint: ${links(ofAll)}
- every endpoint that takes a token: ${links(ofTokens)}
- every change: ${links(ofChanges)}
- every endpoint except streams: ${links([unlessStreams])}

A GET of JSON with \`If-None-Match\` returns 304 if nothing changed.

${parts.map(({ text }) => text).join("\n\n")}

## Shapes

${shapes.map((name) => `### ${name}\n\n${markdownTable(["field", "type", "what it is"], fieldRows({ $ref: `#/components/schemas/${name}` }, schemas))}`).join("\n\n")}
`;
}
