import type { Operation } from "./operation.ts";
import { type Service, serviceOperations } from "./operations/service.ts";

/** Every operation of REST. */
export const operationsOf = (service: Service): Operation[] => [...serviceOperations(service)];
