import { type CreatedMigration, startedClaim, usedUp } from "../../src/billing/claim.ts";
import { type Client, kinds } from "../../src/cluster/index.ts";

/**
 * Binds the account's free first migration to this Migration before its run starts, and uses it up before it is seen to be completed. It is the
 * last word on who has it: the API's reservation is a promise. Rejects with a conflict where somebody else wrote the Account.
 */
export async function claimFree(
  client: Pick<Client, "get" | "update">,
  { kind, account }: { kind: "begin-free" | "use-free"; account: string },
  migration: CreatedMigration,
): Promise<"begun" | "used" | "not-its-own"> {
  const found = await client.get(kinds.accounts, "", account);
  const before = found?.spec.freeMigration;
  const wanted = (kind === "use-free" ? usedUp : startedClaim)(before, migration);
  if (found === undefined || wanted === undefined) return "not-its-own";
  if (before?.uid !== wanted.uid || before?.used !== wanted.used)
    await client.update(kinds.accounts, { ...found, spec: { ...found.spec, freeMigration: wanted } });
  return kind === "use-free" ? "used" : "begun";
}
