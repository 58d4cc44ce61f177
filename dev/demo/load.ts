import { createConnection } from "mysql2/promise";
import { shop, shopStatements } from "./shop.ts";

/** Fills the MySQL database at the URL with the shop; `onRows` hears the share of statements done, 0 to 1. */
export async function loadShop(url: string, onShare: (share: number) => void): Promise<void> {
  const statements = [...shopStatements()];
  const connection = await createConnection({ uri: url, charset: "utf8mb4" });
  try {
    await connection.query("SET foreign_key_checks = 0, unique_checks = 0, autocommit = 0");
    for (const [index, statement] of statements.entries()) {
      await connection.query(statement);
      if (index % 20 === 0) onShare(index / statements.length);
    }
    await connection.query("COMMIT");
    // The price of a migration depends on the size, which the server's statistics know only some seconds later.
    await connection.query(`ANALYZE TABLE ${shop.map(({ name }) => name).join(", ")}`);
    onShare(1);
  } finally {
    await connection.end();
  }
}
