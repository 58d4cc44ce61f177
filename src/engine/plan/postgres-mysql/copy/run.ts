import type { Session as Writer } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import type { Session as Reader } from "../../../postgres/driver/connection.ts";
import type { Life } from "../../../run/lifecycle.ts";

export interface CopyRun
  extends Pick<Life, "request" | "hooks" | "progress" | "throttle" | "warn" | "signal" | "fail"> {
  fence: MysqlFence;
  first: Reader;
  openReader(): Promise<Reader>;
  openWriter(): Promise<Writer>;
}
