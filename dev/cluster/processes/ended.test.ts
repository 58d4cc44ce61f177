import { expect, test } from "vitest";
import { causeIn, endOf, tooSmall } from "./ended.ts";

const room = 1 << 30;

const taken = "node port 30444 needs port 21000 of 127.0.0.1: listen EADDRINUSE: address already in use";

const trace = `{"level":"warn","msg":"slow"}
{"level":"panic","msg":"failed to create WAL","error":"write /x/0.tmp: no space left on device"}
panic: failed to create WAL

goroutine 1 [running]:
go.uber.org/zap/zapcore.CheckWriteAction.OnWrite(0x2?, 0x4?, {0x0?, 0x0?, 0xc00062e060?})
	go.uber.org/zap@v1.27.0/zapcore/entry.go:196 +0x54
go.etcd.io/etcd/server/v3/etcdmain.startEtcd(0xcc3e5dfee00?)
	go.etcd.io/etcd/server/v3@v3.6.4/etcdmain/etcd.go:207 +0x17
main.main()
	rowferry.dev/dev/kubernetes/main.go:43 +0x2d7
`;

test("the cause in a log is before the stack trace", () => {
  expect(causeIn(trace)).toBe(trace.split("\n").slice(0, 3).join(" | "));
  expect(causeIn("")).toBe("");
  expect(causeIn("one\ntwo\nthree\nfour\n")).toBe("two | three | four");
});

test.each([
  ["kubelet", `ready\n${taken}`, room, `ready | ${taken}`, "chooses other ports"],
  ["etcd", "listen tcp 127.0.0.1:1: bind: address already in use", room, "listen tcp", "chooses other ports"],
  ["etcd", trace, room, "panic: failed to create WAL", "Free space"],
  ["etcd", "", 4096, "its log is empty", "Free space"],
  ["kube-apiserver", "", room, "its log is empty", "Read the end of its log"],
])("%s that ended is named with its cause and the next step (%#)", (name, log, free, cause, next) => {
  const error = endOf(name, log, free);
  expect(error.message).toMatch(new RegExp(`^${name} ended: `));
  expect(error.message).toContain(cause);
  expect(error.next).toContain(next);
});

test("a disk that is too small is named with what is needed", () => {
  expect(tooSmall("/cache", room)).toBeUndefined();
  const error = tooSmall("/cache", 5 << 20);
  expect(error?.message).toBe("The disk of /cache has 5 MiB free; a cluster needs 256 MiB");
  expect(error?.next).toContain("ROWFERRY_CACHE");
});
