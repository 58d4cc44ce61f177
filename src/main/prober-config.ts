import * as z from "zod";
import { guardSettings, number, servingSettings, settingsReader } from "./settings.ts";

/** The prober's settings: one environment variable each, read once at start. The chart sets them. */

export const proberEnvironment = z.object({
  ROWFERRY_PROBER_CERT: z
    .string()
    .default("/etc/rowferry/tls/tls.crt")
    .describe("File: the prober's certificate, PEM."),
  ROWFERRY_PROBER_KEY: z.string().default("/etc/rowferry/tls/tls.key").describe("File: its key, PEM."),
  ROWFERRY_PROBER_CA: z
    .string()
    .default("/etc/rowferry/tls/ca.crt")
    .describe("File: the CA of the clients, PEM. The files are read again when they change."),
  ROWFERRY_PROBER_CERT_SECONDS: number(10, 1, 3600).describe("How often the files are looked at."),
  ROWFERRY_PROBER_PORT: number(8443, 0, 65_535).describe("Port of the calls (mutual TLS); 0: a free one."),
  ...guardSettings,
  ROWFERRY_PROBER_AT_ONCE: number(4, 1, 64).describe("Probes at the same time."),
  ROWFERRY_PROBER_OF_ONE: number(2, 1, 64).describe("Probes at the same time of one account; as many of it may wait."),
  ROWFERRY_PROBER_QUEUE: number(8, 0, 1000).describe("Limit of waiting calls; more get 503 with `Retry-After`."),
  ROWFERRY_PROBER_PATIENCE_SECONDS: number(3, 1, 30).describe("How long one may wait there."),
  ROWFERRY_PROBER_IDLE: number(1, 0, 16).describe("Processes that wait started, each for one probe."),
  ROWFERRY_PROBER_PREFLIGHT_SECONDS: number(30, 2, 300).describe("Deadline of a preflight."),
  ROWFERRY_PROBER_MEASURE_SECONDS: number(10, 2, 300).describe("Deadline of a measurement."),
  ROWFERRY_PROBER_TEST_SECONDS: number(10, 2, 300).describe(
    "Deadline of a connection test, and of the look at a restore's target.",
  ),
  ROWFERRY_PROBER_HEAP_MEGABYTES: number(128, 32, 4096).describe("V8's heap of a probe."),
  ROWFERRY_PROBER_WORKER_HEAP_MEGABYTES: number(96, 32, 1_000_000).describe(
    "V8's heap of a worker, which keeps the complete catalogue of a database.",
  ),
  ROWFERRY_PROBER_RESIDENT_MEGABYTES: number(320, 64, 8192).describe("Memory of a probe, beyond which it is killed."),
  ...servingSettings,
});

/** Reads the settings, or throws an Error that names each variable that is missing or wrong. */
export const readProberConfig = settingsReader("prober", proberEnvironment);
