/**
 * The throw-away server of a verification, or of a restore that converts: a native sidecar of the worker's pod, of the database's
 * official image. It listens on the pod's loopback alone and its data go with the pod, so that it needs no password. It mounts no secret.
 */

/** Images by engine; each is the official one, or has its entrypoint. */
export type VerifyImages = Partial<Record<keyof typeof servers, string | undefined>>;

const imageOf: Record<string, keyof VerifyImages> = { PostgreSQL: "postgres", MySQL: "mysql", MariaDB: "mariadb" };

/** Which image verifies a backup of this product; undefined: none is known. */
export const verifyImage = (engine: string | undefined): keyof VerifyImages | undefined => imageOf[engine ?? ""];

const database = "verify";
const dataVolume = "server-data";

const mysqlUrl = `mysql://root@127.0.0.1:3306/${database}?sslmode=disable`;
/** Events would change what was restored; a row of any size that a backup has is taken. */
const mysqlArgs = [
  ...["--bind-address=127.0.0.1", "--event-scheduler=OFF", "--max-allowed-packet=1G"],
  ...["--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--log-bin-trust-function-creators=ON"],
];

const servers = {
  postgres: {
    args: ["postgres", "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "full_page_writes=off"],
    env: { POSTGRES_HOST_AUTH_METHOD: "trust", POSTGRES_DB: database, PGDATA: "/data/db" },
    mountPath: "/data",
    ready: ["sh", "-c", `psql --host=127.0.0.1 --username=postgres --command='SELECT 1' ${database}`],
    url: `postgresql://postgres@127.0.0.1:5432/${database}?sslmode=disable`,
  },
  mysql: {
    args: ["mysqld", ...mysqlArgs, "--mysqlx=OFF", "--disable-log-bin"],
    env: { MYSQL_ALLOW_EMPTY_PASSWORD: "yes", MYSQL_ROOT_HOST: "%", MYSQL_DATABASE: database },
    mountPath: "/var/lib/mysql",
    ready: ["sh", "-c", `mysql --host=127.0.0.1 --user=root --execute='SELECT 1' ${database}`],
    url: mysqlUrl,
  },
  mariadb: {
    args: ["mariadbd", ...mysqlArgs],
    env: { MARIADB_ALLOW_EMPTY_ROOT_PASSWORD: "yes", MARIADB_ROOT_HOST: "%", MARIADB_DATABASE: database },
    mountPath: "/var/lib/mysql",
    ready: ["sh", "-c", `mariadb --host=127.0.0.1 --user=root --execute='SELECT 1' ${database}`],
    url: mysqlUrl,
  },
};

/** The account that owns the data in each of these images. */
const account = 999;

interface OwnServer {
  container: object;
  volume: object;
  /** For the worker. */
  url: string;
}

export function serverContainer(
  engine: keyof VerifyImages,
  image: string,
  { pullPolicy, resources, dataSize }: { pullPolicy: string; resources: object; dataSize: string },
): OwnServer {
  const { args, env, mountPath, ready, url } = servers[engine];
  return {
    url,
    container: {
      name: "server",
      image,
      imagePullPolicy: pullPolicy,
      // Ends with the worker, and the worker starts when it is ready.
      restartPolicy: "Always",
      args,
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
      resources,
      startupProbe: { exec: { command: ready }, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 180 },
      securityContext: {
        ...{ allowPrivilegeEscalation: false, runAsUser: account, runAsGroup: account },
        capabilities: { drop: ["ALL"] },
      },
      volumeMounts: [{ name: dataVolume, mountPath }],
    },
    volume: { name: dataVolume, emptyDir: { sizeLimit: dataSize } },
  };
}
