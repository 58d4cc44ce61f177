import { afterAll, beforeAll, test } from "vitest";
import { type Agreeing, startAgreeing } from "../../support/engine/assess-support.ts";
import { cases } from "./cases.ts";
import { objectCases } from "./object-cases.ts";

/**
 * What makes a copy fail late is said before it: where the assessment has a blocker the copy fails for that, and where
 * it has none the copy completes.
 */

let servers: Agreeing;
beforeAll(async () => {
  servers = await startAgreeing();
});
afterAll(() => servers?.stop());

test.each([...cases, ...objectCases])("%s", (_, one) => servers.agrees(one));
