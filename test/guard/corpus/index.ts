import { addresses } from "./addresses.ts";
import { controls, policies } from "./allowed.ts";
import type { Bypass } from "./case.ts";
import { names } from "./names.ts";
import { urls } from "./urls.ts";

/** All of it, in the order in which it runs. */
export const bypasses: Bypass[] = [...addresses, ...names, ...urls, ...policies];
export { controls };
