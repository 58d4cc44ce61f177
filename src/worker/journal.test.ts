import { expect, it } from "vitest";
import { createRedactor } from "../guard/redact.ts";
import { createJournal } from "./journal.ts";

function journal() {
  const redactor = createRedactor();
  redactor.learn("pl4nted");
  const printed: string[] = [];
  return {
    printed,
    journal: createJournal(
      redactor,
      (level, text) => printed.push(`${level}: ${text}`),
      () => new Date(0),
    ),
  };
}

it("cleans an entry before it is printed or kept", () => {
  const { printed, journal: made } = journal();
  made.write("error", "login failed for shop:pl4nted");
  expect(printed).toEqual(["error: login failed for shop:[redacted]"]);
  expect(made.all()).toEqual([
    { time: "1970-01-01T00:00:00.000Z", level: "error", message: "login failed for shop:[redacted]" },
  ]);
});

it("reports the last 40 entries and archives the first and the last with the gap named", () => {
  const { journal: made } = journal();
  for (let i = 0; i < 10_000; i += 1) made.write("info", `entry ${i}`);
  expect(made.recent()).toHaveLength(40);
  expect(made.recent().at(-1)?.message).toBe("entry 9999");
  expect(made.recent()[0]?.message).toBe("entry 9960");
  const all = made.all().map(({ message }) => message);
  expect(all).toHaveLength(4001);
  expect(all[0]).toBe("entry 0");
  expect(all[2000]).toBe("6000 entries of the log are omitted here");
  expect(all.at(-1)).toBe("entry 9999");
});
