// The parts of pods and Services that the small kubelet reads.
import type { ContainerStatus, Kind, KubeObject, Pod } from "../../../../src/resources/objects.ts";

export type SecretFiles = {
  name?: string;
  secretName?: string;
  optional?: boolean;
  items?: { key: string; path: string }[];
};

export type VolumeSource = {
  secret?: SecretFiles;
  configMap?: SecretFiles;
  serviceAccountToken?: { audience?: string; expirationSeconds?: number; path: string };
  downwardAPI?: { items?: { path: string; fieldRef?: { fieldPath: string } }[] };
};

export type Volume = VolumeSource & { name: string; emptyDir?: object; projected?: { sources?: VolumeSource[] } };

export type EnvironmentVariable = {
  name: string;
  value?: string;
  valueFrom?: { fieldRef?: { fieldPath: string }; secretKeyRef?: { name: string; key: string } };
};

export type Probe = {
  exec?: { command: string[] };
  httpGet?: { path?: string; port: string | number };
  tcpSocket?: { port: string | number };
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
};

export type Container = {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: EnvironmentVariable[];
  ports?: { name?: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
};

export interface PodToRun extends Pod {
  spec: {
    nodeName?: string;
    containers: Container[];
    restartPolicy?: "Always" | "OnFailure" | "Never";
    serviceAccountName?: string;
    terminationGracePeriodSeconds?: number;
    securityContext?: { runAsUser?: number; runAsGroup?: number };
    volumes?: Volume[];
  };
  status?: Pod["status"] & { containerStatuses?: ContainerStatus[] };
}

export interface Service extends KubeObject {
  spec: {
    type?: string;
    selector?: Record<string, string>;
    ports?: { port: number; nodePort?: number; targetPort?: string | number }[];
  };
}

export const podsToRun: Kind<PodToRun> = { apiVersion: "v1", kind: "Pod", plural: "pods" };
export const services: Kind<Service> = { apiVersion: "v1", kind: "Service", plural: "services" };
export const nodes: Kind<KubeObject> = { apiVersion: "v1", kind: "Node", plural: "nodes" };
