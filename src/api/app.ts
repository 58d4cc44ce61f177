import express, { type Express, type IRoute, type NextFunction, type Request, type Response } from "express";
import type { Logger } from "pino";
import { forwardedBy } from "../requests/client-address.ts";
import { Problem, problems } from "../requests/errors.ts";
import { type AuditLine, auditLine, noteAudit } from "./audit.ts";
import { docsRoutes } from "./docs/routes.ts";
import type { Site } from "./docs/site.ts";
import type { Operation } from "./openapi/operation.ts";
import { failureOf, type ProblemDocument, problemDocument, problemOf, problemType } from "./problem.ts";
import { type RouterOptions, runOperation } from "./router.ts";
import type { Leaving } from "./streams/leaving.ts";
import { letUnreadBy } from "./unread.ts";

/** A path outside the table of operations. It has one method. */
export interface Mounted {
  path: string;
  /** The body of an error at this path, as `application/json`; by default it is a problem document. `message` is the request's, if it was read. */
  errorBody?(problem: ProblemDocument, message: unknown): object;
  /** Default: `post`. With `get`, HEAD is answered too. */
  method?: "get" | "post";
  handle(request: Request, response: Response): Promise<void>;
}

/** The app of express, made from the table of operations and the documentation: whatever path is of neither is a 404, whatever method a 405. */
interface AppOptions extends RouterOptions {
  operations: readonly Operation[];
  mounted: readonly Mounted[];
  docs: Site;
  log: Logger;
  /** Addresses or CIDRs of proxies whose X-Forwarded-For is believed. */
  proxies: readonly string[];
  /** Origins of foreign pages that may call with a token. */
  origins: readonly string[];
  /** Whether the port speaks TLS, itself or by a proxy. */
  secure: boolean;
  newId: () => string;
  now: () => number;
  /** Told of each answer. */
  answered: (operation: string, status: number, milliseconds: number) => void;
  /** Told of each call that changes something. */
  audited: (line: AuditLine) => void;
  /** Which connections are not kept, while this replica ends. */
  leaving: Pick<Leaving, "isDue">;
}

const bodyless = new Set(["GET", "HEAD", "OPTIONS"]);

export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", false);
  app.set("case sensitive routing", true);
  app.set("strict routing", true);
  app.set("trust proxy", [...options.proxies]);

  app.use(begin(options));
  app.use(cors(options));
  // A path of fixed words comes before one with a name in it, which it would match too.
  const fixedFirst = options.operations.toSorted((a, b) => Number(a.path.includes("{")) - Number(b.path.includes("{")));
  const paths = Map.groupBy(fixedFirst, ({ path }) => path);
  for (const [path, operations] of paths) {
    const route = app.route(path.replace(/\{(\w+)\}/g, ":$1"));
    for (const operation of operations)
      route[operation.method](async (request: Request, response: Response) => {
        response.locals["operation"] = operation.id;
        if (operation.auth === "none") response.set("Cache-Control", "public, max-age=60");
        await runOperation(operation, options, request, response);
      });
    refuseOthers(route, allowedOn(operations));
  }
  for (const { path, method = "post", handle } of options.mounted)
    refuseOthers(app.route(path)[method](handle), method === "get" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS");
  // For now: a console will be there later.
  const root: string = "/";
  const toDocs = app.route(root).get((_request: Request, response: Response) => response.redirect(302, "docs"));
  refuseOthers(toDocs, "GET, HEAD, OPTIONS");
  app.use(docsRoutes(options.docs, options.flight, options.limits));
  app.use(refuseUnknown([...paths.keys(), ...options.mounted.map(({ path }) => path)]));
  app.use(showProblem(options));
  return app;
}

/** A path that only has a slash too many is told so; its own text is not repeated, since it may hold a secret. */
function refuseUnknown(paths: readonly string[]) {
  const known = paths.map((path) => ({ path, form: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}/+$`) }));
  return ({ path: asked }: Request) => {
    const meant = known.find(({ form }) => form.test(asked));
    throw new Problem(
      "not_found",
      meant === undefined
        ? "Nothing is at this path. GET /openapi.json lists all paths, and /docs explains them."
        : `Nothing is at this path. Remove the slash at its end: ${meant.path}`,
    );
  };
}

function refuseOthers(route: IRoute, allowed: string): void {
  route.options((_request: Request, response: Response) => {
    response.status(204).set("Allow", allowed).end();
  });
  route.all((_request: Request, response: Response) => {
    response.set("Allow", allowed);
    throw new Problem("method_not_allowed", `Allowed methods: ${allowed}.`);
  });
}

function allowedOn(operations: readonly Operation[]): string {
  const methods = operations.map(({ method }) => method.toUpperCase());
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/** A caller's own X-Request-Id is taken over when it is harmless in a header and in a log line; else there is a new one. */
const requestId = (given: string | undefined, make: () => string): string =>
  given !== undefined && /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,99}$/.test(given) ? given : make();

/** The request's id, the headers that every answer has, and the line of the log; it names no path, which might hold a secret. */
function begin({ log, newId, now, secure, answered, audited: told, leaving }: AppOptions) {
  return (request: Request, response: Response, next: NextFunction) => {
    const begun = now();
    const forwarded = request.headers["x-forwarded-for"];
    if (forwarded !== undefined) request.headers["x-forwarded-for"] = forwardedBy(String(forwarded));
    const id = requestId(request.headersDistinct["x-request-id"]?.[0], newId);
    response.locals["id"] = id;
    response.set({
      "X-Request-Id": id,
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
      "Referrer-Policy": "no-referrer",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Cache-Control": "no-store",
    });
    if (secure) response.set("Strict-Transport-Security", "max-age=31536000");
    if (leaving.isDue(request.socket)) response.set("Connection", "close");
    response.once("close", () => {
      const { operation = "none", account, failure } = response.locals as Record<string, unknown>;
      const line = {
        request_id: id,
        method: request.method.slice(0, 20),
        operation,
        // Cut off by its caller, it has no status.
        status: response.headersSent ? response.statusCode : 0,
        ms: Math.round(now() - begun),
        ...(account === undefined ? {} : { account }),
        ...(failure === undefined ? {} : { failure: failureOf(failure) }),
        ...(response.writableFinished ? {} : { cut: true }),
      };
      if (failure === undefined) log.info(line, "request");
      else log.error(line, "request");
      const audited = auditLine(request, response);
      if (audited !== undefined) {
        log.info(audited, "audit");
        told(audited);
      }
      answered(String(operation), line.status, line.ms);
    });
    next();
  };
}

const exposed = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";

/** Off unless origins are named. No cookie goes along: a foreign page calls with a token. */
function cors({ origins }: AppOptions) {
  return (request: Request, response: Response, next: NextFunction) => {
    if (origins.length > 0) response.vary("Origin");
    const origin = request.get("origin");
    if (origin !== undefined && origins.includes(origin)) {
      response.set({
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": exposed,
        "Cross-Origin-Resource-Policy": "cross-origin",
      });
      if (request.method === "OPTIONS" && request.get("access-control-request-method") !== undefined) {
        response.set({
          "Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE",
          "Access-Control-Allow-Headers":
            "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Request-Id",
          "Access-Control-Max-Age": "600",
        });
        response.status(204).end();
        return;
      }
    }
    next();
  };
}

/** express itself throws where a path's percent-encoding is broken: such a path leads to nothing. */
const isBadPath = (error: unknown): boolean => error instanceof URIError;

function showProblem({ world, mounted }: AppOptions) {
  return async (error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const problem = isBadPath(error)
      ? new Problem("not_found", "Nothing is at this path: its percent-encoding is broken.")
      : problemOf(error);
    if (problem.status >= 500) response.locals["failure"] = problem.cause ?? problem;
    if (response.locals["audit"] !== undefined) noteAudit(response, { result: problem.code });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (!bodyless.has(request.method)) await letUnreadBy(request);
    const document = problemDocument(problem, String(response.locals["id"]), world.settings.baseUrl);
    // Also where the path has a slash too many: clients of the protocol show no other body.
    const errorBody = mounted.find(({ path }) => [path, `${path}/`].includes(request.path))?.errorBody;
    const text = JSON.stringify(errorBody?.(document, response.locals["message"]) ?? document);
    for (const name of ["ETag", "Content-Disposition"]) response.removeHeader(name);
    if (problem.retryAfter !== undefined) response.set("Retry-After", String(problem.retryAfter));
    if (problem.status === 401) response.set("WWW-Authenticate", 'Bearer realm="rowferry"');
    // What is longer than is let by is of no use to anybody.
    if (!bodyless.has(request.method) && !request.complete) response.set("Connection", "close");
    response
      .status(problems[problem.code].status)
      .set({
        "Cache-Control": "no-store",
        "Content-Type": errorBody === undefined ? problemType : "application/json",
        "Content-Length": String(Buffer.byteLength(text)),
      })
      .end(text);
  };
}
