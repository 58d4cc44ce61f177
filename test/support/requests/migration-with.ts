import type { Migration, MigrationSpec, MigrationStatus } from "../../../src/resources/migration.ts";

/** A Migration for tests of what is made of one. */
export function migrationWith({
  metadata,
  spec,
  status,
}: {
  metadata?: Partial<Migration["metadata"]>;
  spec?: Partial<MigrationSpec>;
  status?: MigrationStatus;
} = {}): Migration {
  return {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: {
      name: "shop",
      namespace: "rowferry-t1",
      uid: "11111111-1111-4111-8111-111111111111",
      generation: 1,
      resourceVersion: "7",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
    spec: {
      source: { secretRef: { name: "source", key: "url" } },
      target: { secretRef: { name: "target", key: "url" } },
      attempt: 1,
      reset: 0,
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}
