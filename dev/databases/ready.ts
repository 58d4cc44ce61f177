// Whether the database of this environment answers a login: `node ready.ts ENGINE`, exit code 0 or 1.
import { databaseUrl } from "./kinds.ts";
import { logIn } from "./login.ts";
import type { Engine } from "./server.ts";

const kind = process.argv[2] as Engine;
const { DATABASE_PASSWORD: password = "", DATABASE_PORT, DATABASE_NAME: database = "app" } = process.env;
const url = databaseUrl(kind, { user: "app", password, host: "127.0.0.1", port: Number(DATABASE_PORT), database });
await logIn(kind, url).catch(() => process.exit(1));
