import type { Operation } from "./operation.ts";
import { accountOperations } from "./operations/account.ts";
import { type Service, serviceOperations } from "./operations/service.ts";
import { tokenOperations } from "./operations/tokens.ts";

/** Every operation of REST. */
export const operationsOf = (service: Service): Operation[] => [
  ...accountOperations,
  ...tokenOperations,
  ...serviceOperations(service),
];
