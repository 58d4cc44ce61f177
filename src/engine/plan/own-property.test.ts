import { expect, test } from "vitest";
import { named } from "../contract/text/own-property.ts";
import { targetSchema } from "./mysql-postgres/options.ts";
import { prefixOf } from "./postgres-mysql/columns/scheme.ts";
import { mysqlType, postgresType } from "./translate/types.ts";

const inherited = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

test.each(inherited)("%s is a name that a table has only when it was put there", (name) => {
  expect(named({}, name)).toBeUndefined();
  expect(named(undefined, name)).toBeUndefined();
  expect(named(Object.fromEntries([[name, "own"]]), name)).toBe("own");
});

test.each(inherited)("a schema, a database and a type that are called %s are like any other", (name) => {
  expect(prefixOf(name, {})).toBe(`${name}_`);
  expect(prefixOf(name, Object.fromEntries([[name, "x_"]]))).toBe("x_");
  expect(targetSchema({ jobs: 1, schemas: {} }, name)).toBe("public");
  expect(mysqlType(name, undefined).kind).toBe(mysqlType("unheard", undefined).kind);
  expect(postgresType(name, undefined).kind).toBe(postgresType("unheard", undefined).kind);
});
