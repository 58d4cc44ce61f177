import type { MadeObject } from "../../../contract/index.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import type { ColumnPlan, Scheme } from "../columns/column-plan.ts";
import { presentTime } from "../columns/present-time.ts";
import { nameFor } from "./scheme.ts";

/**
 * ON UPDATE CURRENT_TIMESTAMP as a trigger. As in MySQL the column moves only when another value of the row changes
 * and the statement itself does not set it to something new.
 */
export function updateTrigger(
  scheme: Scheme,
  source: SourceTable,
  table: string,
  columns: readonly ColumnPlan[],
): { create: string[]; made: MadeObject[] } | undefined {
  const moving = columns.filter((column) => /on update current_timestamp/.test(column.source.extra));
  if (moving.length === 0) return undefined;
  const { schema } = scheme;
  const name = nameFor(scheme, `function ${source.name}`, `${table}_on_update`);
  const lines = moving.map((column) => {
    const word = column.source.dataType === "timestamp" ? "CURRENT_TIMESTAMP" : "LOCALTIMESTAMP";
    const now = presentTime(word, column.source.fraction);
    const quoted = identifier(column.name);
    return `IF NEW.${quoted} IS NOT DISTINCT FROM OLD.${quoted} THEN NEW.${quoted} := ${now}; END IF;`;
  });
  // What the target computes stands in the new row only after its triggers.
  const computed = columns.filter((column) => column.computed).map(({ name: of }) => identifier(of));
  const head = computed.length === 0 ? [] : ["DECLARE", "  was record := OLD;"];
  const same = computed.map((quoted) => `  was.${quoted} := NEW.${quoted};`);
  const body = [
    ...head,
    "BEGIN",
    ...same,
    `  IF NEW OPERATOR(pg_catalog.*<>) ${computed.length === 0 ? "OLD" : "was"} THEN`,
    `    ${lines.join("\n    ")}`,
    "  END IF;",
    "  RETURN NEW;",
    "END",
  ].join("\n");
  let tag = "$body$";
  for (let round = 0; body.includes(tag); round++) tag = `$body${round}$`;
  return {
    made: [{ kind: "function", name: [schema, name] }],
    create: [
      `CREATE FUNCTION ${qualified(schema, name)}() RETURNS trigger LANGUAGE plpgsql AS ${tag}${body}${tag}`,
      `CREATE TRIGGER ${identifier(name)} BEFORE UPDATE ON ${qualified(schema, table)} FOR EACH ROW EXECUTE FUNCTION ${qualified(schema, name)}()`,
    ],
  };
}
