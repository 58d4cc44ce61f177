// What runs side by side in each direction. Each one makes schema, rows, keys and indexes, has the target gather its
// statistics, and then counts both sides.
import type { Database } from "../dev/databases/index.ts";
import { countSql, type Direction, mariadb, postgres } from "./servers.ts";
import type { Shape } from "./shape.ts";

export type Script = { script: string; files?: Record<string, string> };
export type Runner = {
  name: string;
  /** Whether it copies more than the one big table. */
  general: boolean;
  script(source: Database, target: Database, shape: Shape): Script;
};

const counted = (steps: string[], ...counts: string[]): string =>
  [...steps, ...counts.map((count) => `${count} > /dev/null`)].join("\n");
const psql = (server: Database, database: string): string =>
  `PGTZ=UTC psql -X -q -v ON_ERROR_STOP=1 "${postgres(server, database)}"`;
const analyzeIn = {
  mysql: (server: Database, shape: Shape) =>
    `${mariadb(server)} dst -e "ANALYZE TABLE ${shape.tables.join(", ")}" > /dev/null`,
  postgres: (server: Database) => `${psql(server, "dst")} -c ANALYZE`,
};
const countIn = {
  mysql: (server: Database, database: string, shape: Shape) => `${mariadb(server)} ${database} -e "${countSql(shape)}"`,
  postgres: (server: Database, database: string, shape: Shape) => `${psql(server, database)} -c "${countSql(shape)}"`,
};

const mysqlUrl = (server: Database, database: string): string =>
  `mysql://root:${server.password}@127.0.0.1:${server.port}/${database}`;

const mysqlPostgres: Runner[] = [
  {
    name: "pgloader",
    general: true,
    script: (source, target, shape) => ({
      // Without these two settings it runs out of heap at 3,000,000 rows.
      files: {
        load: `LOAD DATABASE FROM ${mysqlUrl(source, "src")} INTO ${postgres(target, "dst").replace("postgres:", "postgresql:")}
          WITH workers = 2, concurrency = 1, prefetch rows = 10000
          ALTER SCHEMA 'src' RENAME TO 'public';`,
      },
      script: counted(
        ["pgloader --on-error-stop --root-dir /mnt/pgloader /mnt/load", analyzeIn.postgres(target)],
        countIn.mysql(source, "src", shape),
        countIn.postgres(target, "dst", shape),
      ),
    }),
  },
  {
    name: "floor",
    general: false,
    script: (source, target, shape) => {
      const { tables, indexes } = shape.create.postgres;
      return {
        script: counted(
          [
            `${psql(target, "dst")} -c "${tables}"`,
            `${mariadb(source)} src --quick --skip-column-names --batch --init-command="SET time_zone='+00:00'" -e "SELECT * FROM orders" | ${psql(target, "dst")} -c "COPY orders FROM STDIN WITH (NULL 'NULL')"`,
            `${psql(target, "dst")} -c "${indexes}"`,
            analyzeIn.postgres(target),
          ],
          countIn.mysql(source, "src", shape),
          countIn.postgres(target, "dst", shape),
        ),
      };
    },
  },
];

const postgresPostgres: Runner[] = [
  {
    name: "pgcopydb",
    general: true,
    script: (source, target, shape) => ({
      // It vacuums and analyses by itself.
      script: counted(
        [
          `pgcopydb clone --source "${postgres(source, "src")}" --target "${postgres(target, "dst")}" --dir /mnt/pgcopydb --table-jobs 2 --index-jobs 2 --split-tables-larger-than 200MB`,
        ],
        countIn.postgres(source, "src", shape),
        countIn.postgres(target, "dst", shape),
      ),
    }),
  },
  {
    name: "pg_dump",
    general: true,
    script: (source, target, shape) => ({
      script: counted(
        [
          `pg_dump -Fc -Z0 "${postgres(source, "src")}" | pg_restore --exit-on-error -d "${postgres(target, "dst")}"`,
          analyzeIn.postgres(target),
        ],
        countIn.postgres(source, "src", shape),
        countIn.postgres(target, "dst", shape),
      ),
    }),
  },
];

const mysqlMysql: Runner[] = [
  {
    name: "mydumper",
    general: true,
    script: (source, target, shape) => ({
      script: counted(
        [
          `mydumper -h 127.0.0.1 -P ${source.port} -u root -p ${source.password} -B src -t 2 -r 250000 --trx-consistency-only -o /mnt/dump`,
          `myloader -h 127.0.0.1 -P ${target.port} -u root -p ${target.password} -B dst -t 2 -d /mnt/dump`,
          analyzeIn.mysql(target, shape),
        ],
        countIn.mysql(source, "src", shape),
        countIn.mysql(target, "dst", shape),
      ),
    }),
  },
  {
    name: "mysqldump",
    general: true,
    script: (source, target, shape) => ({
      script: counted(
        [
          `mariadb-dump --no-defaults -h127.0.0.1 -P${source.port} -uroot -p${source.password} --single-transaction --quick src | ${mariadb(target)} dst`,
          analyzeIn.mysql(target, shape),
        ],
        countIn.mysql(source, "src", shape),
        countIn.mysql(target, "dst", shape),
      ),
    }),
  },
];

const postgresMysql: Runner[] = [
  {
    name: "floor",
    general: false,
    script: (source, target, shape) => {
      const cast =
        "id, customer_id, status, quantity, amount, weight, active::int, created_at, updated_at AT TIME ZONE 'UTC', day, email, note";
      return {
        script: counted(
          [
            `${mariadb(target)} dst -e "${shape.create.mysql.tables}"`,
            `${psql(source, "src")} -c "COPY (SELECT ${cast} FROM orders) TO STDOUT" | ${mariadb(target)} --local-infile=1 dst -e "SET time_zone='+00:00'; LOAD DATA LOCAL INFILE '/dev/stdin' INTO TABLE orders CHARACTER SET utf8mb4"`,
            analyzeIn.mysql(target, shape),
          ],
          countIn.postgres(source, "src", shape),
          countIn.mysql(target, "dst", shape),
        ),
      };
    },
  },
];

export const runners: Record<Direction, readonly Runner[]> = {
  "mysql-pg": mysqlPostgres,
  "pg-pg": postgresPostgres,
  "mysql-mysql": mysqlMysql,
  "pg-mysql": postgresMysql,
};

/** engine.md's targets: the wall ratio, at most. */
export const targets: Readonly<Record<string, number>> = {
  "mysql-pg/pgloader": 0.3,
  "mysql-pg/floor": 0.85,
  "pg-pg/pgcopydb": 0.8,
  "pg-pg/pg_dump": 0.8,
  "mysql-mysql/mydumper": 0.85,
  "pg-mysql/floor": 1,
};
