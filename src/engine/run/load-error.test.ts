import { expect, test } from "vitest";
import { EngineError } from "../contract/index.ts";
import { loadError } from "./load-error.ts";

const said = (code: ConstructorParameters<typeof EngineError>[0], side: "source" | "target" = "target") =>
  new EngineError(code, "words", { side });

test.each([
  ["a value that the target refuses", said("database_error"), true, "data_refused", "table s.t: words"],
  ["a refusal that the driver knows", said("data_refused"), false, "data_refused", "table s.t: words"],
  ["another answer of the target", said("database_error"), false, "database_error", "table s.t: words"],
  ["a value that the source cannot give", said("database_error", "source"), true, "database_error", "table s.t: words"],
  ["a row that is too large", said("row_too_large"), true, "row_too_large", "table s.t: words"],
  ["an error of no row", said("connection_lost"), true, "connection_lost", "words"],
])("%s", (_, error, refused, code, message) => {
  const found = loadError(error, { table: "s.t", isValue: () => refused });
  expect(found).toMatchObject({ code, message, retryable: error.retryable });
});

test("the column is named where the server tells it, and what is no error of the engine is left as it is", () => {
  const about = { table: "t", column: "c", isValue: () => true };
  expect(loadError(said("database_error"), about)).toMatchObject({ message: "table t, column c: words" });
  const other = new TypeError("words");
  expect(loadError(other, about)).toBe(other);
});
