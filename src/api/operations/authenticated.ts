import type * as z from "zod";
import type { Caller, Identity, World } from "../../requests/world.ts";
import type { Operation, OperationCall, OperationResult } from "../openapi/operation.ts";

/** Operations with auth `token`: how they are described, and how they are called. */

/** The input is of the types that the operation's own schemas give: the router has checked it by them. */
type Checked<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject> = Omit<
  OperationCall,
  "params" | "query" | "body"
> & { params: z.output<P>; query: z.output<Q>; body: z.output<B> };

type Described<Who, P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject> = Partial<
  Pick<Operation, "tier">
> &
  Omit<Operation, "tag" | "auth" | "withoutTeam" | "tier" | "params" | "query" | "body" | "run"> & {
    params?: P;
    query?: Q;
    body?: B;
    run(world: World, who: Who, call: Checked<P, Q, B>): Promise<OperationResult>;
  };

const describe =
  <Who>(common: Pick<Operation, "tag" | "withoutTeam">, whoIn: (call: OperationCall) => Who | undefined) =>
  <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject>({
    run,
    ...described
  }: Described<Who, P, Q, B>): Operation => ({
    tier: described.method === "get" ? "read" : "write",
    ...common,
    ...described,
    auth: "token",
    run(world, call) {
      const who = whoIn(call);
      if (who === undefined) throw new Error("an operation with auth `token` was called by nobody");
      return run(world, who, call as Checked<P, Q, B>);
    },
  });

/**
 * Descriptions of this tag's operations: `ofTeam` acts for the caller's acting team, `ofAccount` is `withoutTeam`. The tier is `read`
 * for a GET and `write` for the rest, unless it is given.
 */
export const taggedOperations = (tag: string) => ({
  ofTeam: describe<Caller>({ tag }, ({ caller }) => caller),
  ofAccount: describe<Identity>({ tag, withoutTeam: true }, ({ identity }) => identity),
});

/** To pass on the call's Idempotency-Key, if it has one. */
export const keyOf = ({ idempotencyKey }: Pick<OperationCall, "idempotencyKey">): { idempotencyKey?: string } =>
  idempotencyKey === undefined ? {} : { idempotencyKey };
