import type { DemoAccount } from "./by-rest.ts";
import type { DemoDatabase } from "./databases.ts";

/** What a script needs to go on from the demo. */
export interface DemoFacts {
  kubeconfig: string;
  cluster: { kind: string; name: string };
  namespaces: { operator: string; demo: string };
  databases: { source: DemoDatabase; target: DemoDatabase };
  migration: string;
  /** Of the API. */
  base_url: string;
  /** PEM of the CA that signed its certificate, and a file with it. */
  ca: string;
  ca_file: string;
  /** Three people: a Pro account in two teams, a new account, and one that pays for each migration. */
  accounts: DemoAccount[];
  /** The installation's bucket on the S3 server in the cluster; null where the cluster has none. */
  backups: { bucket_url: string; access_key_id: string; secret_access_key: string } | null;
  billing: {
    /** Of the Stripe simulator: its checkout pages take the payments. */
    simulator_url: string;
    /** Tokens. */
    tokens: { pro: string; new: string; paying: string };
  };
}
