import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { ask } from "./ask.ts";
import type { Input } from "./io.ts";

it("the terminal echoes nothing from before the question is seen until it is answered", async () => {
  const happened: string[] = [];
  const keys = new EventEmitter();
  const stdin = Object.assign(keys, {
    isTTY: true,
    setRawMode: (raw: boolean) => happened.push(raw ? "echo off" : "echo on"),
    resume: () => setImmediate(() => keys.emit("data", Buffer.from("secret\r"))),
    pause: () => undefined,
  });
  const stderr = { isTTY: true, write: (text: string) => happened.push(text) };
  expect(await ask("Password: ", { stdin: stdin as unknown as Input, stderr }, { hidden: true })).toBe("secret");
  expect(happened).toEqual(["echo off", "Password: ", "echo on", "\n"]);
});
