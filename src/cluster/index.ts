export {
  type Job,
  type KubeObject,
  kinds,
  type Pod,
  type Secret,
} from "../resources/objects.ts";
export {
  ArchiveError,
  type ArchivePlace,
  archiveIn,
  pieceBytes,
  type ReportBucket,
  readArchive,
  unpacked,
} from "./archive.ts";
export { type Client, createClient } from "./client.ts";
export { type Connection, connect } from "./connection.ts";
export { alreadyExists, assertLeads, ClusterError, isConflict, isNotFound, isObjectRefusal } from "./errors.ts";
export { createRecorder, type Recorder } from "./events.ts";
export { type Informer, pause, resourceVersionNumber, startInformer } from "./informer.ts";
export { noInformer, startInformers } from "./informers.ts";
export { runElection } from "./lease.ts";
