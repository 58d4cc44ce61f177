/** The engines of servers, as reports and translations have them. */
export const serverEngines = ["mysql", "mariadb", "postgres"] as const;
export type ServerEngine = (typeof serverEngines)[number];

const names = { mysql: "MySQL", mariadb: "MariaDB", postgres: "PostgreSQL" } as const satisfies Record<
  ServerEngine,
  string
>;
export type EngineName = (typeof names)[ServerEngine];

/** For a person. */
export const engineName = (engine: ServerEngine): EngineName => names[engine];

/** Of a server that speaks MySQL's protocol. */
export const mysqlEngine = ({ maria }: { maria: boolean }): "mysql" | "mariadb" => (maria ? "mariadb" : "mysql");
