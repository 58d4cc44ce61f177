import { PassThrough } from "node:stream";
import type { Request, Response } from "express";
import { expect, test } from "vitest";
import { createStreams } from "./open.ts";

const streams = () => createStreams({ most: 2, mostInAll: 3, recheck: 60_000 });
const request = { method: "GET" } as Request;
const responseOf = () => {
  const plain = new PassThrough();
  return Object.assign(plain, { status: () => plain, set: () => plain }) as unknown as Response;
};
async function* quiet(signal: AbortSignal) {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
const holds = async () => true;

test("an account has so many, all together so many, and one that ends makes room", async () => {
  const open = streams();
  const [first, second, third] = [responseOf(), responseOf(), responseOf()];
  const ended = [
    open.write(request, first, quiet, "ann", holds),
    open.write(request, second, quiet, "ann", holds),
    open.write(request, third, quiet, "bob", holds),
  ];
  expect(open.count()).toBe(3);
  await expect(open.write(request, responseOf(), quiet, "ann", holds)).rejects.toMatchObject({ code: "limit_reached" });
  await expect(open.write(request, responseOf(), quiet, "cat", holds)).rejects.toMatchObject({
    code: "busy",
    retryAfter: 5,
  });
  first.destroy();
  await ended[0];
  const fourth = open.write(request, responseOf(), quiet, "cat", holds);
  expect(open.count()).toBe(3);
  open.close(30);
  await Promise.all([...ended, fourth]);
  expect(open.count()).toBe(0);
  await expect(open.write(request, responseOf(), quiet, "ann", holds)).rejects.toMatchObject({ code: "unavailable" });
});

test("no event is told that came after its reader might read no more, however seldom that is looked at", async () => {
  const open = streams();
  const response = responseOf();
  const next = Promise.withResolvers<void>();
  let may = true;
  async function* source() {
    yield { event: "status", data: "before" };
    await next.promise;
    yield { event: "status", data: "after" };
  }
  let told = "";
  (response as unknown as PassThrough).setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const ended = open.write(request, response, source, "ann", async () => {
    if (!may) throw new Error("revoked");
    return true;
  });
  await expect.poll(() => told).toContain("before");
  may = false;
  next.resolve();
  await ended;
  expect(told).not.toContain("after");
  expect(open.count()).toBe(0);
});
