import { expect, test } from "vitest";
import { failures } from "../failures.ts";

const output = (header: string) =>
  ` ✓ unit a.test.ts\n\n\u001b[31m⎯⎯⎯\u001b[39m\u001b[1m\u001b[41m ${header} 1 \u001b[49m\u001b[22m\u001b[31m⎯⎯\u001b[39m\n\n FAIL x\nError: boom\n ❯ x.ts:2\n`;

test.each(["Failed Suites", "Failed Tests", "Unhandled Errors"])(
  "%s are told without colours, and cut off",
  (header) => {
    expect(failures(output(header), 4)).toBe(`⎯⎯⎯ ${header} 1 ⎯⎯\n\n FAIL x\nError: boom`);
  },
);

test("nothing is told of an output without failures", () => {
  expect(failures(" ✓ unit a.test.ts\n Tests  1 passed\n", 10)).toBe("");
});
