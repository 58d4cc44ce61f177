/** Where a run's report is kept: gzip of JSON `{report, log}` under this key of the ConfigMap that the Migration owns. */
export const archiveKey = "report.json.gz";
