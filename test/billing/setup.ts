import { controllers, planeSetup } from "../operator/setup.ts";

/** One control plane for the files of this part, of which each has an operator, a prober and an API of its own: `borrowPlace`. */
export const { setup, teardown } = planeSetup([...controllers, "namespace"]);
