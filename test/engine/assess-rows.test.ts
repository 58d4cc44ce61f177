import { afterAll, beforeAll, test } from "vitest";
import { rowsCases } from "./assess-rows-cases.ts";
import { type Agreeing, startAgreeing } from "./assess-support.ts";

/** Of rows alone, names in drop and views that are left out, the assessment says what the copy does. */

let servers: Agreeing;
beforeAll(async () => {
  servers = await startAgreeing();
});
afterAll(() => servers?.stop());

test.each(rowsCases)("%s", (_, one) => servers.agrees(one));
