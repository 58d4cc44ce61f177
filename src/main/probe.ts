import { runProbeProcess } from "../prober/child.ts";
import { probe } from "../prober/probe.ts";

/** The process of one probe, started by the prober. */
runProbeProcess(probe);
