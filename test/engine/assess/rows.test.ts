import { afterAll, beforeAll, test } from "vitest";
import { type Agreeing, startAgreeing } from "../../support/engine/assess-support.ts";
import { rowsCases } from "./rows-cases.ts";

/** Of rows alone, names in drop and views that are left out, the assessment says what the copy does. */

let servers: Agreeing;
beforeAll(async () => {
  servers = await startAgreeing();
});
afterAll(() => servers?.stop());

test.each(rowsCases)("%s", (_, one) => servers.agrees(one));
