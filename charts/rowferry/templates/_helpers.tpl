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
