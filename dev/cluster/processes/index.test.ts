import { expect, test } from "vitest";
import { nextStep } from "../../terminal/failure.ts";
import { endOf } from "./index.ts";

test.each([
  [
    "kubelet",
    "ready\nnode port 30444 needs port 21000 of 127.0.0.1: listen EADDRINUSE: address already in use",
    "chooses other ports",
  ],
  ["etcd", "listen tcp 127.0.0.1:21001: bind: address already in use", "chooses other ports"],
  ["etcd", "wal: no space left on device", "Free space"],
  ["kube-apiserver", "", "Read the end of its log"],
])("%s that ended is named with its last words and the next step (%#)", (name, words, next) => {
  const error = endOf(name, words);
  expect(error.message).toBe(`${name} ended: ${words || "its log is empty"}`);
  expect(nextStep(error)).toContain(next);
});
