{{/* Name of the Secret with the credentials of the reports' bucket; empty: ConfigMaps keep the reports. Values of an earlier chart have none. */}}
{{- define "rowferry.reportSecret" -}}
{{- $storage := (.Values.reports | default dict).storage | default dict }}
{{- if $storage.bucket }}
{{- if not $storage.secretName }}
{{- fail "reports.storage.bucket is set and reports.storage.secretName is empty: name a Secret with the keys accessKeyId and secretAccessKey" }}
{{- end }}
{{- $storage.secretName }}
{{- end }}
{{- end }}

{{/* The environment of operator and API; workers have nothing of it. */}}
{{- define "rowferry.reportEnvironment" -}}
{{- if include "rowferry.reportSecret" . }}
- name: ROWFERRY_REPORT_BUCKET
  value: {{ include "rowferry.bucket" .Values.reports.storage | quote }}
{{- end }}
{{- end }}

{{- define "rowferry.reportMount" -}}
- name: reports
  mountPath: /etc/rowferry/reports
  readOnly: true
{{- end }}

{{- define "rowferry.reportVolume" -}}
- name: reports
  secret:
    secretName: {{ include "rowferry.reportSecret" . }}
    defaultMode: 0440
{{- end }}

{{/* The way to the bucket: by the port of its endpoint, and by the peers if these are set. AWS's addresses change. */}}
{{- define "rowferry.toReports" -}}
{{- $endpoint := .Values.reports.storage.endpoint | default "" | trimSuffix "/" }}
{{- $port := regexFind ":[0-9]+$" $endpoint | trimPrefix ":" | default (ternary "80" "443" (hasPrefix "http:" $endpoint)) }}
- ports:
    - {protocol: TCP, port: {{ $port }}}
  {{- with (.Values.networkPolicies.reports).to }}
  to: {{ toJson . }}
  {{- end }}
{{- end }}
