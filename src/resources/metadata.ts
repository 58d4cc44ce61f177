/** What every object of Kubernetes has in common: its metadata, times as text. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface Metadata {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

/** An object of one of Rowferry's kinds, as it is written and read. */
export interface Resource<Spec, Status = undefined> {
  apiVersion?: string;
  kind?: string;
  metadata: Metadata;
  spec: Spec;
  status?: Status;
}

/** An object in a namespace, as the API server returns it. */
export interface Stored<Kind extends string, Spec, Status> {
  apiVersion: string;
  kind: Kind;
  metadata: Metadata &
    Required<Pick<Metadata, "namespace" | "uid" | "generation" | "resourceVersion" | "creationTimestamp">>;
  spec: Spec;
  status?: Status;
}
