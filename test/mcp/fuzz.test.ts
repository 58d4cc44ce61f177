import { expect, test } from "vitest";
import { completedRun } from "../api/backups-play.ts";
import { api, type Person, signUp, startReplica } from "../api/world.ts";
import { until } from "../operator/control-plane.ts";
import { chosenSeed } from "../seed.ts";
import { secret } from "./fuzz-messages.ts";
import { playMcpFuzz } from "./fuzz-play.ts";

async function migrationOf({ token }: Person): Promise<string> {
  const url = (kind: string, name: string) => `${kind}://reader:${secret}@127.0.0.1:9/${name}`;
  const body = { source_url: url("mysql", "shop"), target_url: url("postgres", "shop") };
  const made = await until("the team to be ready", async () => {
    const answer = await api("/api/migrations", { token, body });
    return answer.status === 201 && answer;
  });
  return String(made.body.migration.id);
}

const codeOf = (failure: unknown): unknown => (failure as { code?: unknown }).code;

test("a thousand messages, half of them broken, are each answered as documented, and by no failure", async () => {
  const seed = chosenSeed();
  const [ann, bob, replica] = [await signUp(), await signUp(), await startReplica()];
  const ids = await Promise.all([ann, ann, bob].map(migrationOf));
  const { ask } = replica.caller;
  const url = `postgres://reader:${secret}@127.0.0.1:9/shop`;
  const backups = await Promise.all([ann, bob].map((person) => completedRun(person, { database_url: url })));
  const known = { ids: [...ids, ...backups.map(({ id }) => id)], runs: backups.map(({ run }) => run) };
  const played = await playMcpFuzz({ seed, messages: 1000, token: ann.token, known, ask });
  console.log(`seed ${seed}: ${JSON.stringify(played)}`);
  expect(played.failures).toEqual([]);
  expect(played.messages).toBeGreaterThanOrEqual(1000);
  expect(played.statuses[200]).toBeGreaterThan(100);
  // Eight previews at once of one account are more than its share of the prober.
  const unforeseen = replica.lines.filter(({ failure }) => failure !== undefined && codeOf(failure) !== "busy");
  expect(unforeseen).toEqual([]);
  expect(replica.output()).not.toContain(secret);
});
