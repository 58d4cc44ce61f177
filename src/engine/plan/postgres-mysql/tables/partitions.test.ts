import { describe, expect, test } from "vitest";
import type { TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { planPartitions } from "./partitions.ts";

type Case = {
  strategy: string;
  types: string[];
  parts: [name: string, bound: string][];
  maria?: boolean;
  name?: string;
};

const plan = ({ strategy, types, parts, maria = false, name = "t" }: Case) => {
  const columns = types.map((_, at) => `c${at}`);
  const table = {
    indexes: [],
    partitioned: {
      strategy,
      columns,
      key: "",
      parts: parts.map(([part, bound]) => ({ name: part, bound, kind: "r" })),
    },
  } as unknown as TableDefinition;
  const planned = planPartitions(table, { name, maria }, (column) => ({
    name: column,
    sql: types[columns.indexOf(column)] ?? "",
  }));
  return "sql" in planned ? [planned.sql, ...planned.notes] : planned.reported;
};

const gap = "values that no partition of the source takes go to the next";

describe("partitions of PostgreSQL in MySQL", () => {
  test.each<[string, Case, string | string[]]>([
    [
      "ranges in their order",
      {
        strategy: "r",
        types: ["INT"],
        parts: [
          ["b", "FOR VALUES FROM (5) TO (MAXVALUE)"],
          ["a", "FOR VALUES FROM (MINVALUE) TO (5)"],
        ],
      },
      [
        "PARTITION BY RANGE COLUMNS (`c0`) (PARTITION `a` VALUES LESS THAN (5), PARTITION `b` VALUES LESS THAN (MAXVALUE))",
      ],
    ],
    [
      "a gap, and a default at the end",
      {
        strategy: "r",
        types: ["DATE"],
        parts: [
          ["rest", "DEFAULT"],
          ["a", "FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')"],
        ],
      },
      [
        "PARTITION BY RANGE COLUMNS (`c0`) (PARTITION `a` VALUES LESS THAN ('2020-02-01'), PARTITION `rest` VALUES LESS THAN (MAXVALUE))",
        gap,
      ],
    ],
    [
      "several columns",
      {
        strategy: "r",
        types: ["DATE", "BIGINT"],
        parts: [
          ["b", "FOR VALUES FROM ('2020-01-01', '-5') TO ('2020-02-01', MINVALUE)"],
          ["a", "FOR VALUES FROM (MINVALUE, MINVALUE) TO ('2020-01-01', '-5')"],
        ],
      },
      [
        "PARTITION BY RANGE COLUMNS (`c0`, `c1`) (PARTITION `a` VALUES LESS THAN ('2020-01-01', -5), PARTITION `b` VALUES LESS THAN ('2020-02-01', -9223372036854775808))",
      ],
    ],
    [
      "text, whose order differs",
      { strategy: "r", types: ["VARCHAR(9)"], parts: [["a", "FOR VALUES FROM ('a') TO ('b')"]] },
      "ranges of text follow another order in MySQL",
    ],
    [
      "a bound that MySQL does not know",
      { strategy: "r", types: ["DATE"], parts: [["a", "FOR VALUES FROM ('2020-01-01') TO ('infinity')"]] },
      "the bound of partition a is not understood",
    ],
    [
      "lists, with quotes, commas and NULL",
      { strategy: "l", types: ["VARCHAR(9)"], parts: [["a", "FOR VALUES IN ('a,b', 'it''s', '\\', NULL)"]] },
      ["PARTITION BY LIST COLUMNS (`c0`) (PARTITION `a` VALUES IN ('a,b', 'it''s', '\\\\', NULL))"],
    ],
    [
      "booleans",
      { strategy: "l", types: ["TINYINT(1)"], parts: [["a", "FOR VALUES IN (true)"]] },
      ["PARTITION BY LIST COLUMNS (`c0`) (PARTITION `a` VALUES IN (1))"],
    ],
    [
      "a default list in MySQL",
      {
        strategy: "l",
        types: ["INT"],
        parts: [
          ["a", "FOR VALUES IN (1)"],
          ["b", "DEFAULT"],
        ],
      },
      "MySQL has no default partition",
    ],
    [
      "a default list in MariaDB",
      {
        strategy: "l",
        types: ["INT"],
        parts: [
          ["a", "FOR VALUES IN (1)"],
          ["b", "DEFAULT"],
        ],
        maria: true,
      },
      ["PARTITION BY LIST COLUMNS (`c0`) (PARTITION `a` VALUES IN (1), PARTITION `b` DEFAULT)"],
    ],
    [
      "hashes",
      {
        strategy: "h",
        types: ["INT"],
        parts: [
          ["a", "x"],
          ["b", "y"],
        ],
      },
      ["PARTITION BY KEY (`c0`) PARTITIONS 2", "by MySQL's own hash"],
    ],
    [
      "a key of a type without partitions",
      { strategy: "l", types: ["LONGTEXT"], parts: [["a", "FOR VALUES IN ('a')"]] },
      "MySQL has no partitions by LONGTEXT",
    ],
    ["none yet", { strategy: "l", types: ["INT"], parts: [] }, "it has no partitions yet"],
    [
      "names that no file can have beside the table's",
      { strategy: "l", types: ["INT"], parts: [["漢".repeat(20), "FOR VALUES IN (1)"]], name: "漢".repeat(30) },
      ["PARTITION BY LIST COLUMNS (`c0`) (PARTITION `p0` VALUES IN (1))"],
    ],
  ])("%s", (_, given, expected) => {
    expect(plan(given)).toEqual(expected);
  });
});
