{{/* "true" where the installation has backups, else empty. Values of an earlier chart have none. */}}
{{- define "rowferry.backupsOn" -}}
{{- if (.Values.backups | default dict).enabled }}true{{ end }}
{{- end }}

{{/* The backups' environment of the operator; empty without them. */}}
{{- define "rowferry.backupsOfOperator" -}}
{{- if include "rowferry.backupsOn" . }}
{{- $backups := .Values.backups }}
{{- $storage := $backups.storage | default dict }}
{{- if include "rowferry.namespaced" . }}
{{- if $storage.bucket }}
{{- fail "watchNamespaces is set and backups.storage.bucket too: that bucket is for the backups of teams, which do not exist in this mode. Leave it empty, and name storage in each BackupSchedule" }}
{{- end }}
{{- else }}
{{- if not $storage.bucket }}
{{- fail "backups.enabled is true and backups.storage.bucket is empty: name the bucket that keeps the backups" }}
{{- end }}
{{- if not $storage.secretName }}
{{- fail "backups.enabled is true and backups.storage.secretName is empty: name a Secret with the keys accessKeyId and secretAccessKey" }}
{{- end }}
{{- end }}
- name: ROWFERRY_BACKUPS
  value: "true"
{{- if $storage.bucket }}
- name: ROWFERRY_BACKUP_BUCKET
  value: {{ include "rowferry.bucket" $storage | quote }}
{{- end }}
{{- with $backups.jitterSeconds }}
- name: ROWFERRY_BACKUP_JITTER_SECONDS
  value: {{ . | int | quote }}
{{- end }}
- name: ROWFERRY_VERIFY_IMAGES
  value: {{ include "rowferry.verifyImages" . | quote }}
{{- with $backups.verification }}
- name: ROWFERRY_VERIFY_RESOURCES
  value: {{ .resources | toJson | quote }}
- name: ROWFERRY_VERIFY_DATA_SIZE
  value: {{ .dataSize | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* A bucket of the values as JSON, without its Secret. */}}
{{- define "rowferry.bucket" -}}
{{- $bucket := dict "bucket" .bucket "region" .region }}
{{- range $key := list "endpoint" "prefix" "ca" }}
{{- with get $ $key }}{{ $_ := set $bucket $key . }}{{ end }}
{{- end }}
{{- $bucket | toJson }}
{{- end }}

{{/* JSON object of the images that are set. */}}
{{- define "rowferry.verifyImages" -}}
{{- $images := dict }}
{{- range $engine, $image := ((.Values.backups).verification).images | default dict }}
{{- if $image }}{{ $_ := set $images $engine $image }}{{ end }}
{{- end }}
{{- $images | toJson }}
{{- end }}

{{/* Name of the Secret with the bucket's credentials; empty: the installation has no backups. */}}
{{- define "rowferry.backupSecret" -}}
{{- if and (include "rowferry.backupsOn" .) (not (include "rowferry.namespaced" .)) }}{{ .Values.backups.storage.secretName }}{{ end }}
{{- end }}
