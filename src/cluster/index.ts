export {
  type ConfigMap,
  type Job,
  type KubeObject,
  kinds,
  type Metadata,
  type Pod,
  pathOf,
  type Secret,
  type SeenEvent,
} from "../resources/objects.ts";
export { type ApplyObject, type Client, createClient } from "./client.ts";
export { type Connection, connect } from "./connection.ts";
export { alreadyExists, ClusterError, isConflict, isNotFound, redact } from "./errors.ts";
export { createRecorder, type Happening, type Recorder } from "./events.ts";
export { type Informer, pause, startInformer } from "./informer.ts";
export { runElection } from "./lease.ts";
