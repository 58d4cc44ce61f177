import * as z from "zod";
import { exactlyOne, rules } from "./schema.ts";

/** How a resource names a database: a Secret of its namespace, or a URL that the API sealed. */

/** What stands in place of a sealed URL that the operator took out, some time after the run ended. */
export const expiredUrl = "expired";

/** The name of another object in the same namespace, of a kind whose names are those of DNS. */
export const objectName = (what: string) =>
  z
    .string()
    .min(1)
    .max(253)
    .describe(what)
    .meta(
      rules([
        "self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",
        "a name has only a-z, 0-9, - and ., and begins and ends with a letter or digit",
      ]),
    );

export const databaseRefSchema = z
  .object({
    secretRef: z
      .object({
        name: objectName("Name of a Secret in the same namespace."),
        key: z
          .string()
          .min(1)
          .max(253)
          .default("url")
          .describe(
            "Key in the Secret that holds the connection URL. A key `ca.crt` beside it, if present, is the private CA.",
          ),
      })
      .optional()
      .describe("A Secret that holds the connection URL."),
    sealedUrl: z
      .string()
      .min(1)
      .max(8192)
      .optional()
      .describe(
        "A connection URL sealed to the operator's public key. The API writes it, and only the operator can read it. The operator replaces it by `expired` some time after a Migration or Restore ended.",
      ),
  })
  .describe("How the database is named: exactly one of secretRef and sealedUrl.")
  .meta(
    rules(
      exactlyOne(
        "database",
        "secretRef",
        "sealedUrl",
        "set secretRef (a Secret with the connection URL) or sealedUrl, and not both",
      ),
    ),
  );

export type DatabaseRef = z.output<typeof databaseRefSchema>;
