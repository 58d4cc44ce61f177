import type { Asked } from "../api/http.ts";
import { api, provided } from "../api/world.ts";
import { connectTo, type McpClient } from "./connect.ts";
import { fetchBy } from "./fetch-by.ts";

/** The client of the protocol over the test's HTTPS. */

type Ask = (path: string, asked: Asked) => ReturnType<typeof api>;

export const connectMcp = (token: string, path: string, ask: Ask = api): Promise<McpClient> =>
  connectTo(new URL(path, provided.baseUrl), token, fetchBy(ask));
