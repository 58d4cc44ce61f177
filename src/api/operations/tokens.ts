import * as z from "zod";
import {
  listOf,
  mintSchema,
  pageSchema,
  resultOf,
  type ShownToken,
  tokenSchema,
} from "../../requests/accounts/shapes.ts";
import { listTokens, mintToken, mostTokens, revokeToken } from "../../requests/tokens/tokens.ts";
import type { Operation } from "../openapi/operation.ts";
import { taggedOperations } from "./authenticated.ts";

/** The account's tokens of the API. */

const { ofAccount } = taggedOperations("Tokens");

const example: ShownToken = {
  id: "482915073648201",
  name: "ci",
  created_at: "2030-01-31T12:00:00.000Z",
  expires_at: null,
  last_used_at: null,
  scopes: null,
};
const params = z.object({
  id: z
    .string()
    .regex(/^[1-9][0-9]{0,19}$/)
    .describe("The digits before the `|` of the token."),
});

export const tokenOperations: readonly Operation[] = [
  ofAccount({
    id: "listTokens",
    method: "get",
    path: "/api/tokens",
    summary: "List tokens",
    description:
      "Your tokens, newest first, without their secret part. They are the account's, whatever its acting team.",
    query: pageSchema,
    answer: { status: 200, description: "A page of tokens.", schema: listOf(tokenSchema) },
    problems: [],
    examples: { response: { data: [example], next_cursor: null } },
    run: async (world, identity, call) => ({ body: await listTokens(world, identity, call.query) }),
  }),
  ofAccount({
    id: "createToken",
    method: "post",
    path: "/api/tokens",
    summary: "Create a token",
    description: `Its plaintext is shown this once. Without \`scopes\`, it has full access to the account, in its acting team. A token creates none with more scopes or a later end than its own. An account has at most ${mostTokens}.`,
    tier: "minting",
    scope: "own",
    body: mintSchema,
    answer: {
      status: 201,
      description: "The token.",
      schema: tokenSchema.extend({
        message: z.string().describe("The result, as a sentence."),
        token: z.string().describe("The complete token in plain text, for the header `Authorization: Bearer`."),
      }),
      location: "/api/tokens/{/id}",
    },
    problems: ["session_required", "limit_reached"],
    examples: {
      request: { name: "ci" },
      response: {
        message: "Keep the token: it is not shown again.",
        token: "482915073648201|rfy_0aXb…",
        ...example,
      },
    },
    async run(world, identity, call) {
      const { plaintext, token } = await mintToken(world, identity, call.body);
      return { body: { message: "Keep the token: it is not shown again.", token: plaintext, ...token } };
    },
  }),
  ofAccount({
    id: "revokeToken",
    method: "delete",
    path: "/api/tokens/{id}",
    summary: "Revoke a token",
    description: "After this call, no replica accepts the token. A token may revoke itself.",
    scope: "own",
    params,
    answer: { status: 200, description: "The token is no longer accepted.", schema: resultOf({ token: tokenSchema }) },
    problems: ["session_required", "not_found"],
    examples: { response: { message: "The token is revoked.", token: example } },
    async run(world, identity, call) {
      const token = await revokeToken(world, identity, call.params.id);
      return { body: { message: "The token is revoked.", token } };
    },
  }),
];
