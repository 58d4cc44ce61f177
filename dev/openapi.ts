// npm run openapi: prints the description of the API that /openapi.json serves, as it is by default.
import { describeApi } from "./pages/api-description.ts";

process.stdout.write(`${JSON.stringify(describeApi(), null, 2)}\n`);
