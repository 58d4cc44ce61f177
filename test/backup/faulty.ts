import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { S3Server } from "../../dev/s3/index.ts";

/** A way to a real S3 server on which requests are answered, cut or slowed down as a test says. It passes on what the client signed. */

/** `UploadPart` and so on, as S3 calls it. */
export type Operation =
  | "PutObject"
  | "CreateMultipartUpload"
  | "UploadPart"
  | "CompleteMultipartUpload"
  | "AbortMultipartUpload"
  | "GetObject"
  | "ListObjects"
  | "ListMultipartUploads"
  | "DeleteObject";

export type Fault =
  /** An error of S3, as if the server had said it. */
  | { status: number; code: string }
  /** The connection breaks when the request's body has come; the server never sees it. */
  | { cut: "request" }
  /** The server does it, and its answer is lost. */
  | { cut: "answer" }
  /** Of the answer's body come so many bytes. */
  | { cutAfter: number }
  /** Each 64 KiB in either direction take so many milliseconds. */
  | { slow: number };

export interface Faulty {
  endpoint: string;
  /** What has been asked for, in order. */
  asked: Operation[];
  /** What the next requests meet: `how` gets the operation and how often it was asked for before. */
  meet(how: (operation: Operation, before: number) => Fault | undefined): void;
  stop(): Promise<void>;
}

export async function openFaulty({ port }: Pick<S3Server, "port">): Promise<Faulty> {
  const asked: Operation[] = [];
  let times = new Map<Operation, number>();
  let judge: (operation: Operation, before: number) => Fault | undefined = () => undefined;
  const server = createServer((near, answer) => {
    const operation = operationOf(near);
    const before = times.get(operation) ?? 0;
    times.set(operation, before + 1);
    asked.push(operation);
    pass(near, answer, port, judge(operation, before)).catch(() => near.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((done, fail) => {
    server.once("error", fail).listen(0, "127.0.0.1", () => done());
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    asked,
    meet(how) {
      times = new Map();
      judge = how;
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function pass(
  near: IncomingMessage,
  answer: ServerResponse,
  port: number,
  fault: Fault | undefined,
): Promise<void> {
  if (fault !== undefined && ("status" in fault || ("cut" in fault && fault.cut === "request"))) {
    for await (const _piece of near);
    if (!("status" in fault)) return void near.socket.resetAndDestroy();
    answer.writeHead(fault.status, { "content-type": "application/xml" });
    answer.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>${fault.code}</Message></Error>`);
    return;
  }
  const { method, url, rawHeaders } = near;
  const far = forward({ host: "127.0.0.1", port, method, path: url, headers: rawHeaders as never, setHost: false });
  const answered = new Promise<IncomingMessage>((done, fail) => far.once("response", done).once("error", fail));
  const slow = () => (fault !== undefined && "slow" in fault ? [slowed(fault.slow)] : []);
  await Promise.all([pipeline([near, ...slow(), far] as never), answered]);
  const from = await answered;
  if (fault !== undefined && "cut" in fault) {
    for await (const _piece of from);
    return void near.socket.resetAndDestroy();
  }
  answer.writeHead(from.statusCode ?? 502, from.rawHeaders as never);
  if (fault === undefined || !("cutAfter" in fault)) return pipeline([from, ...slow(), answer] as never);
  let left = fault.cutAfter;
  for await (const piece of from as AsyncIterable<Buffer>) {
    answer.write(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  near.socket.resetAndDestroy();
}

const stretch = 64 * 1024;

const slowed = (milliseconds: number): Transform =>
  new Transform({
    transform(piece: Buffer, _encoding, done) {
      setTimeout(() => done(null, piece), (milliseconds * piece.length) / stretch);
    },
  });

function operationOf({ method, url = "" }: IncomingMessage): Operation {
  const { pathname, searchParams: of } = new URL(url, "http://s3");
  const isObject = pathname.split("/").filter(Boolean).length > 1;
  if (!isObject) return of.has("uploads") ? "ListMultipartUploads" : "ListObjects";
  if (method === "GET") return "GetObject";
  if (method === "DELETE") return of.has("uploadId") ? "AbortMultipartUpload" : "DeleteObject";
  if (method === "POST") return of.has("uploads") ? "CreateMultipartUpload" : "CompleteMultipartUpload";
  return of.has("uploadId") ? "UploadPart" : "PutObject";
}
