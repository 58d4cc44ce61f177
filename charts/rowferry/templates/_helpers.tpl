{{/* The operator's code knows this name (controllers/rbac.ts): Lease, Service and Secret are called by it. */}}
{{- define "rowferry.name" -}}
rowferry-operator
{{- end }}

{{/* "true" where the operator works in some namespaces alone, with Roles there and no right on the cluster; else empty. */}}
{{- define "rowferry.namespaced" -}}
{{- if .Values.watchNamespaces }}
{{- if .Values.api.enabled }}
{{- fail "watchNamespaces is set and api.enabled is true: the API keeps accounts, teams and tokens as objects of the cluster, and each team has a namespace that the operator makes. Set api.enabled to false and make Migrations by kubectl, or leave watchNamespaces empty" }}
{{- end }}
{{- if ((.Values.billing).stripe).secretName }}
{{- fail "watchNamespaces is set and billing.stripe.secretName too: users pay for Migrations that come through the API, which is not installed then. Leave billing.stripe.secretName empty" }}
{{- end -}}
true
{{- end }}
{{- end }}

{{/* Whether objects of the cluster are rendered: a list of the value, which is null by default, and the root. "true" or empty. */}}
{{- define "rowferry.ofCluster" -}}
{{- if kindIs "bool" (first .) }}{{ if first . }}true{{ end }}{{ else if not (include "rowferry.namespaced" (last .)) }}true{{ end }}
{{- end }}

{{/* Where workers reach the operator. */}}
{{- define "rowferry.operatorUrl" -}}
https://{{ include "rowferry.name" . }}.{{ .Release.Namespace }}.svc:{{ .Values.service.workersPort }}
{{- end }}

{{/* Of another part than the operator: a list of its component and the root. */}}
{{- define "rowferry.selectorOf" -}}
app.kubernetes.io/name: rowferry
app.kubernetes.io/instance: {{ (last .).Release.Name }}
app.kubernetes.io/component: {{ first . }}
{{- end }}

{{- define "rowferry.labelsOf" -}}
{{ include "rowferry.selectorOf" . }}
{{- with last . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}
{{- end }}

{{- define "rowferry.selector" -}}
{{ include "rowferry.selectorOf" (list "operator" .) }}
{{- end }}

{{- define "rowferry.labels" -}}
{{ include "rowferry.labelsOf" (list "operator" .) }}
{{- end }}

{{- define "rowferry.image" -}}
{{- with .Values.image }}
{{- if .registry }}{{ trimSuffix "/" .registry }}/{{ end }}{{ .repository }}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* The workers' resources as JSON, each quantity a string: YAML makes a number of `cpu: 1`. */}}
{{- define "rowferry.workerResources" -}}
{{- $resources := dict }}
{{- range $kind, $quantities := .Values.worker.resources }}
{{- $texts := dict }}
{{- range $name, $quantity := $quantities }}{{- $_ := set $texts $name (toString $quantity) }}{{- end }}
{{- $_ := set $resources $kind $texts }}
{{- end }}
{{- toJson $resources }}
{{- end }}

{{/* The workers' command as JSON, without the number of its heap, which the operator raises for a source of very many tables. */}}
{{- define "rowferry.workerWords" -}}
{{- $words := list }}
{{- range .Values.worker.command }}{{ $words = append $words (regexReplaceAll "^--max-old-space-size=[0-9]+$" . "--max-old-space-size") }}{{ end }}
{{- toJson $words }}
{{- end }}

{{/* What the pods of API and prober have in common with the operator's: a list of the values of the part and the root. */}}
{{- define "rowferry.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .Values.image.uid }}
runAsGroup: {{ .Values.image.uid }}
fsGroup: {{ .Values.image.uid }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "rowferry.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "rowferry.probes" -}}
startupProbe:
  httpGet:
    path: /healthz
    port: http-metrics
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet:
    path: /healthz
    port: http-metrics
  periodSeconds: 20
  timeoutSeconds: 5
readinessProbe:
  httpGet:
    path: /readyz
    port: http-metrics
  periodSeconds: 2
  timeoutSeconds: 2
{{- end }}

{{- define "rowferry.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* More of a part's environment, as its values have it. */}}
{{- define "rowferry.extraEnv" -}}
{{- with .extraEnv }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{/* The DNS of a part's pods, and how they are spread: as its values say, and by themselves on several nodes where it has several
replicas; a list of its component, its values and the root. */}}
{{- define "rowferry.spread" -}}
{{- with (index . 1).dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if (index . 1).topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml (index . 1).topologySpreadConstraints | nindent 2 }}
{{- else if gt (int (index . 1).replicas) 1 }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "rowferry.selectorOf" (list (first .) (last .)) | nindent 8 }}
{{- end }}
{{- end }}

{{/* Likewise: not all at once when nodes are drained. */}}
{{- define "rowferry.disruption" -}}
{{- if gt (int (index . 1).replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: rowferry-{{ first . }}
  namespace: {{ (last .).Release.Namespace }}
  labels:
    {{- include "rowferry.labelsOf" (list (first .) (last .)) | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "rowferry.selectorOf" (list (first .) (last .)) | nindent 6 }}
{{- end }}
{{- end }}

{{- define "rowferry.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where users reach the API. */}}
{{- define "rowferry.baseUrl" -}}
{{- if .Values.api.baseUrl }}{{ trimSuffix "/" .Values.api.baseUrl }}
{{- else }}{{ ternary "http" "https" .Values.api.plainHttp }}://rowferry-api.{{ .Release.Namespace }}.svc
{{- end }}
{{- end }}

{{/* What several parts are told of the guard. */}}
{{- define "rowferry.guardEnvironment" -}}
- name: ROWFERRY_GUARD_ALLOW
  value: {{ join "," .Values.guard.allow | quote }}
- name: ROWFERRY_GUARD_REFUSE
  value: {{ join "," .Values.guard.refuse | quote }}
- name: ROWFERRY_GUARD_MIN_TLS
  value: {{ .Values.guard.minTls | quote }}
{{- end }}

{{/* Each quantity a string, as JSON. */}}
{{- define "rowferry.quota" -}}
{{- $texts := dict }}
{{- range $name, $quantity := .Values.teams.quota }}{{- $_ := set $texts $name (toString $quantity) }}{{- end }}
{{- toJson $texts }}
{{- end }}

{{/* Where workers' pods run: of worker's values, those that are set. Values of an earlier chart have none. */}}
{{- define "rowferry.workerPlacement" -}}
{{- $place := dict }}
{{- range $name, $from := dict "nodeSelector" "nodeSelector" "tolerations" "tolerations" "affinity" "affinity" "priorityClassName" "priorityClassName" "labels" "podLabels" "annotations" "podAnnotations" }}
{{- with index $ $from }}
{{- $_ := set $place $name . }}
{{- end }}
{{- end }}
{{- toJson $place }}
{{- end }}

{{/* Seconds that finished Migrations are kept; empty: for ever, as with the values of an earlier chart. */}}
{{- define "rowferry.finishedSeconds" -}}
{{- $seconds := (.Values.migrations).ttlSecondsAfterFinished }}
{{- if not (kindIs "invalid" $seconds) }}{{ int $seconds }}{{ end }}
{{- end }}
