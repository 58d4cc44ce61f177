// npm run openapi: prints the description of the API that /openapi.json serves, as it is by default.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openApi } from "../src/api/openapi.ts";
import { operationsOf } from "../src/api/table.ts";
import { usualLimits } from "../src/main/api-config.ts";

const packageFile = join(import.meta.dirname, "..", "package.json");
const { version } = JSON.parse(await readFile(packageFile, "utf8")) as { version: string };
const operations = operationsOf({ ready: () => true, document: () => ({}) });
const document = openApi(operations, { baseUrl: "https://rowferry.example", version, limits: usualLimits });
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
