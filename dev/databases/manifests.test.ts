import { expect, test } from "vitest";
import { type DatabaseKind, databaseUrl, kinds } from "./kinds.ts";
import { databaseManifests } from "./manifests.ts";

const options = { namespace: "shop", name: "source", image: "x/y:1", password: "s3cret'\\" };

test.each(Object.keys(kinds) as DatabaseKind[])(
  "%s runs under the restricted standard and keeps its password in a Secret",
  (kind) => {
    const [secret, deployment, service, ...rest] = databaseManifests(kind, options);
    expect(rest).toEqual([]);
    expect(secret).toMatchObject({ kind: "Secret", stringData: { password: options.password } });
    const text = JSON.stringify([deployment, service]);
    expect(text).not.toContain("s3cret");
    const pod = (deployment as unknown as { spec: { template: { spec: Record<string, unknown> } } }).spec.template.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          imagePullPolicy: "Never",
          command: expect.arrayContaining(["database", "run", kinds[kind].engine]),
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
            readOnlyRootFilesystem: true,
          },
        },
      ],
    });
    expect(service).toMatchObject({ spec: { ports: [{ port: kinds[kind].port }] } });
  },
);

test.each([
  ["mysql", "MYSQL_ROOT_PASSWORD", "MYSQL_DATABASE", "mysqld"],
  ["mariadb", "MARIADB_ROOT_PASSWORD", "MARIADB_DATABASE", "mariadbd"],
  ["postgres", "POSTGRES_PASSWORD", "POSTGRES_DB", "postgres"],
] as const)(
  "%s's official image gets its own variables, under the restricted standard too",
  (kind, secret, name, server) => {
    const [, deployment] = databaseManifests(kind, { ...options, official: true, args: ["--x=1"] });
    const pod = (deployment as unknown as { spec: { template: { spec: Record<string, unknown> } } }).spec.template.spec;
    expect(pod).toMatchObject({
      securityContext: { runAsNonRoot: true, runAsUser: 999, fsGroup: 999 },
      containers: [
        {
          args: [server, ...(kind === "postgres" ? [] : ["--innodb-buffer-pool-size=128M"]), "--x=1"],
          env: expect.arrayContaining([
            { name: secret, valueFrom: { secretKeyRef: { name: "source-database", key: "password" } } },
            { name, value: "shop" },
          ]),
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    });
  },
);

test("a URL's parts are percent-encoded", () => {
  const at = { user: "a:b", password: "p@ss/w#rd", host: "h", port: 1, database: "d?" };
  expect(databaseUrl("mariadb", at)).toBe("mariadb://a%3Ab:p%40ss%2Fw%23rd@h:1/d%3F");
  expect(databaseUrl("postgres-old", at)).toMatch(/^postgres:/);
});
