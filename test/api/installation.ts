import { join } from "node:path";
import { freePort } from "../../dev/databases/free-port.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { bundled } from "../bundle.ts";
import { type PlaneClient, startControlPlane } from "../operator/control-plane.ts";
import {
  account,
  installAccount,
  installApiAccount,
  installCrds,
  type OperatorProcess,
  startOperator,
} from "../operator/operator.ts";
import { mountSecret, type Place, type Started, startApi, startProber } from "./start.ts";

/** A control plane with operator, prober and replicas of the API, of which the first is where `baseUrl` leads. */
export interface Installation {
  plane: PlaneClient;
  operator: OperatorProcess;
  place: Place;
  replicas: Started[];
  /** Starts the operator again, after it was stopped. */
  restartOperator(): Promise<void>;
  /** Starts a replica of the API again at its port, after it was stopped. */
  restartReplica(at: number): Promise<void>;
  stop(): Promise<void>;
}

/** A control plane with the kinds and with the accounts of operator and API, whose kubeconfigs lie in its folder. */
async function ownPlane(): Promise<PlaneClient> {
  const plane = await startControlPlane({
    controllers:
      "serviceaccount-controller,garbage-collector-controller,namespace-controller,resourcequota-controller,job-controller",
  });
  try {
    await installCrds(plane);
    await installAccount(plane, { backups: true });
    await installApiAccount(plane, { backups: true });
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** The operator's environment. */
const backups = {
  ROWFERRY_BACKUPS: "true",
  ROWFERRY_VERIFY_IMAGES: JSON.stringify({ postgres: "postgres:18" }),
  // Nothing listens there: no pod runs.
  ROWFERRY_BACKUP_BUCKET: JSON.stringify({ endpoint: "http://127.0.0.1:9", region: "us-east-1", bucket: "none" }),
};

/**
 * `operator`, `api`: more of their environments; called with the folder that they see. `given`: a control plane like `ownPlane`, without
 * backups, which is stopped with the installation.
 */
export async function startInstallation(
  replicas: number,
  more: (folder: string) => { operator?: Record<string, string>; api?: Record<string, string> } = () => ({}),
  given?: PlaneClient,
): Promise<Installation> {
  const begun: { stop(signal?: NodeJS.Signals): Promise<unknown> }[] = [];
  const stop = async () => {
    for (const one of begun.toReversed()) await one.stop("SIGKILL");
  };
  // On another plane the accounts have no rights on them.
  const hasBackups = given === undefined;
  try {
    const plane = given ?? (await ownPlane());
    begun.push(plane);
    const kubeconfigOf = (name: string) => join(plane.folder, `${name}.kubeconfig`);
    const [operatorProgram, apiProgram] = [await bundled("operator"), await bundled("api")];
    const begin = async <T extends { stop(signal?: NodeJS.Signals): Promise<unknown> }>(
      one: Promise<T>,
    ): Promise<T> => {
      const started = await one;
      begun.push(started);
      return started;
    };
    const ports = await Promise.all(Array.from({ length: replicas }, () => freePort()));
    const baseUrl = `https://localhost:${ports[0]}`;
    const operate = () =>
      begin(
        startOperator(
          plane,
          kubeconfigOf(account),
          "operator-0",
          {
            ROWFERRY_API_HOSTS: "localhost",
            ROWFERRY_PROBER_HOSTS: "localhost",
            ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
            ...(hasBackups ? backups : {}),
            ...more(plane.folder).operator,
          },
          operatorProgram,
        ),
      );
    const operator = await operate();
    const { folder, admin } = plane;
    for (const name of [installed.apiTls, installed.apiKeys]) await mountSecret(admin.client, name, join(folder, name));
    await mountSecret(admin.client, installed.proberTls, join(folder, "prober-tls"));
    const prober = await startProber(folder);
    begun.push(prober);
    const place: Place = {
      folder,
      apiKubeconfig: kubeconfigOf(installed.api),
      baseUrl,
      proberUrl: `https://localhost:${prober.port}`,
    };
    const serve = (port: number | undefined) =>
      begin(
        startApi(
          place,
          { ROWFERRY_API_PORT: String(port), ROWFERRY_BACKUPS: String(hasBackups), ...more(folder).api },
          apiProgram,
        ),
      );
    const installation: Installation = {
      ...{ plane, operator, place, stop, replicas: await Promise.all(ports.map(serve)) },
      async restartOperator() {
        installation.operator = await operate();
      },
      async restartReplica(at) {
        installation.replicas[at] = await serve(ports[at]);
      },
    };
    return installation;
  } catch (error) {
    await stop();
    throw error;
  }
}
