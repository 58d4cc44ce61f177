import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { installed } from "../../src/resources/crd/installed.ts";
import type { PlaneClient } from "../operator/control-plane.ts";
import { home, account as operatorAccount } from "../operator/operator.ts";
import type { Counts } from "./judge.ts";

/** The requests of the API and of the operator between two times, by the API server's audit log, without watches. */
export async function requestsOf(
  plane: Pick<PlaneClient, "folder">,
  from: number,
  to: number,
): Promise<Record<"api" | "operator", Counts>> {
  const counts = { api: new Map<string, number>(), operator: new Map<string, number>() };
  const who = new Map([
    [`system:serviceaccount:${home}:${installed.api}`, counts.api],
    [`system:serviceaccount:${home}:${operatorAccount}`, counts.operator],
  ]);
  const input = createReadStream(join(plane.folder, "audit.log"));
  for await (const line of createInterface({ input })) {
    if (!line.includes(`system:serviceaccount:${home}:`) || !line.endsWith("}")) continue;
    const { verb, user, objectRef, requestReceivedTimestamp } = JSON.parse(line) as {
      requestReceivedTimestamp: string;
      verb: string;
      user: { username: string };
      objectRef?: { resource: string; subresource?: string };
    };
    const at = Date.parse(requestReceivedTimestamp);
    const own = who.get(user.username);
    if (own === undefined || at < from || at > to || verb === "watch") continue;
    const what = `${verb} ${objectRef?.resource ?? "other"}${objectRef?.subresource === undefined ? "" : `/${objectRef.subresource}`}`;
    own.set(what, (own.get(what) ?? 0) + 1);
  }
  return counts;
}
