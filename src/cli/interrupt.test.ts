import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { Interrupted } from "./exit.ts";
import { listenForSignals } from "./interrupt.ts";

function listening() {
  const signals = new EventEmitter();
  const said: number[] = [];
  let now = 0;
  const signal = listenForSignals(signals, {
    now: () => now,
    leave: (code) => said.push(code),
  });
  const send = (name: string, at: number) => {
    now = at;
    signals.emit(name);
  };
  return { said, signal, send };
}

it("the first Ctrl-C ends what runs in order, a second one ends the process", () => {
  const { said, signal, send } = listening();
  send("SIGINT", 0);
  expect(signal.reason).toBeInstanceOf(Interrupted);
  expect(said).toEqual([]);
  send("SIGINT", 1000);
  expect(said).toEqual([130]);
});

it("a Ctrl-C that comes twice, by the terminal and by a parent, is one", () => {
  const { said, send } = listening();
  send("SIGINT", 0);
  send("SIGINT", 3);
  expect(said).toEqual([]);
});

it("SIGTERM counts likewise, and after it Ctrl-C ends the process", () => {
  const { said, signal, send } = listening();
  send("SIGTERM", 0);
  expect((signal.reason as Interrupted).signal).toBe("SIGTERM");
  send("SIGINT", 500);
  expect(said).toEqual([130]);
});
