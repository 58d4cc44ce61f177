import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApi } from "../../src/api/openapi/index.ts";
import { operationsOf } from "../../src/api/table.ts";
import { usualLimits } from "../../src/main/api/config.ts";

/** The description of the API that /openapi.json serves, as it is by default. */
export function describeApi(): ReturnType<typeof openApi> {
  const packageFile = join(import.meta.dirname, "../../package.json");
  const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };
  const operations = operationsOf({ ready: () => true, document: () => ({}) });
  return openApi(operations, { baseUrl: "https://rowferry.example", version, limits: usualLimits });
}
