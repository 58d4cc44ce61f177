{{/* The operator's code knows this name (controllers/rbac.ts): Lease, Service and Secret are called by it. */}}
{{- define "rowferry.name" -}}
rowferry-operator
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
{{- end }}

{{/* Ways out of a pod that dials what users name: the names' server, the public addresses, and what the guard allows beside them. */}}
{{- define "rowferry.egress" -}}
- to:
    - namespaceSelector: {}
  ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: {{ concat .Values.networkPolicies.except.v4 (include "rowferry.ofFamily" (list "v4" .Values.guard.refuse) | fromJsonArray) | uniq | toJson }}
    - ipBlock:
        cidr: ::/0
        except: {{ concat .Values.networkPolicies.except.v6 (include "rowferry.ofFamily" (list "v6" .Values.guard.refuse) | fromJsonArray) | uniq | toJson }}
{{- with .Values.guard.allow }}
- to:
    {{- range . }}
    - ipBlock:
        cidr: {{ . | quote }}
    {{- end }}
{{- end }}
{{- end }}

{{/* The CIDRs of a list that are of IPv4 or IPv6, as JSON: a list of the family and the CIDRs. */}}
{{- define "rowferry.ofFamily" -}}
{{- $family := first . }}
{{- $found := list }}
{{- range last . }}
{{- if eq (ternary "v6" "v4" (contains ":" .)) $family }}{{ $found = append $found . }}{{ end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{/* Each quantity a string, as JSON. */}}
{{/* Of the workers in teams' namespaces, as JSON: the operator makes their policies. They report to the operator beside. */}}
{{- define "rowferry.workersEgress" -}}
{{- if .Values.networkPolicies.enabled }}
{{- $home := dict "matchLabels" (dict "kubernetes.io/metadata.name" .Release.Namespace) }}
{{- $operator := dict "matchLabels" (include "rowferry.selector" . | fromYaml) }}
{{- $port := dict "protocol" "TCP" "port" 8443 }}
{{- $report := dict "to" (list (dict "namespaceSelector" $home "podSelector" $operator)) "ports" (list $port) }}
{{- append (include "rowferry.egress" . | fromYamlArray) $report | toJson }}
{{- else -}}
null
{{- end }}
{{- end }}

{{- define "rowferry.quota" -}}
{{- $texts := dict }}
{{- range $name, $quantity := .Values.teams.quota }}{{- $_ := set $texts $name (toString $quantity) }}{{- end }}
{{- toJson $texts }}
{{- end }}
