{{/* The bits of a CIDR that count, after its family: "4:00001010" of 10.0.0.0/8. A range is in another where its bits begin with the other's. */}}
{{- define "rowferry.bits" -}}
{{- $address := splitList "/" . | first }}
{{- $prefix := splitList "/" . | last | atoi }}
{{- $family := ternary "6" "4" (contains ":" $address) }}
{{- $sides := list }}
{{- range splitList "::" $address }}
{{- $side := "" }}
{{- range splitList ":" . | compact }}
{{- if contains "." . }}
{{- range splitList "." . }}{{ $side = printf "%s%08b" $side (atoi .) }}{{ end }}
{{- else }}
{{- $side = printf "%s%016b" $side (printf "0x%s" . | int64) }}
{{- end }}
{{- end }}
{{- $sides = append $sides $side }}
{{- end }}
{{- $length := ternary 128 32 (eq $family "6") }}
{{- $zeros := sub $length (join "" $sides | len) | max 0 | int }}
{{- $bits := join (repeat $zeros "0") $sides }}
{{- if or (ne (len $bits) $length) (gt $prefix $length) }}
{{- fail (printf "%q is not a CIDR: write an address and the bits that count, as in 10.0.0.0/8 or fd00::/8" .) }}
{{- end }}
{{- if contains "1" (substr $prefix $length $bits) }}
{{- fail (printf "%q is not a CIDR: the bits beyond the first %d must be zero" . $prefix) }}
{{- end }}
{{- printf "%s:%s" $family (trunc $prefix $bits) }}
{{- end }}

{{/* A peer: the range `cidr` but for those of `without` that lie in it. */}}
{{- define "rowferry.block" -}}
{{- $own := include "rowferry.bits" .cidr }}
{{- $except := list }}
{{- range uniq .without }}
{{- $bits := include "rowferry.bits" . }}
{{- if and (ne $bits $own) (hasPrefix $own $bits) }}{{ $except = append $except . }}{{ end }}
{{- end }}
- ipBlock:
    cidr: {{ .cidr | quote }}
    {{- with $except }}
    except: {{ toJson . }}
    {{- end }}
{{- end }}

{{/*
Where clouds tell secrets, as JSON: the guard (src/guard/address.ts) allows such an address only by a CIDR that names just it. Those
of IPv4 also behind NAT64.
*/}}
{{- define "rowferry.metadata" -}}
{{- $v4 := list "169.254.169.254" "169.254.170.2" "169.254.170.23" "168.63.129.16" "100.100.100.200" "192.0.0.192" }}
{{- $all := list "fd00:ec2::254/128" "fd00:ec2::23/128" "fd20:ce::254/128" }}
{{- range $v4 }}
{{- $four := list }}
{{- range splitList "." . }}{{ $four = append $four (atoi .) }}{{ end }}
{{- $behind := printf "64:ff9b::%x%02x:%x%02x/128" (index $four 0) (index $four 1) (index $four 2) (index $four 3) }}
{{- $all = concat $all (list (printf "%s/32" .) $behind) }}
{{- end }}
{{- toJson $all }}
{{- end }}

{{/*
Where the guard lets connections go, as peers: the public addresses, and guard.allow; guard.refuse counts where it is the longer prefix
or as long. All of IPv6 that was ever given out is 2000::/3.
*/}}
{{- define "rowferry.guarded" -}}
{{- $values := .Values }}
{{- $refused := list }}
{{- range .Values.guard.refuse }}{{ $refused = append $refused (include "rowferry.bits" .) }}{{ end }}
{{- $special := concat .Values.networkPolicies.except.v4 .Values.networkPolicies.except.v6 .Values.guard.refuse }}
{{- range list "0.0.0.0/0" "2000::/3" }}
{{- $own := include "rowferry.bits" . }}
{{- $open := true }}
{{- range $refused }}{{ if hasPrefix . $own }}{{ $open = false }}{{ end }}{{ end }}
{{- if $open }}
{{- include "rowferry.block" (dict "cidr" . "without" $special) }}
{{- end }}
{{- end }}
{{- $forbidden := concat (include "rowferry.metadata" . | fromJsonArray) .Values.guard.refuse }}
{{- range uniq .Values.guard.allow }}
{{- if not (has (include "rowferry.bits" .) $refused) }}
{{- include "rowferry.block" (dict "cidr" . "without" $forbidden) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The way to the names' servers. */}}
{{- define "rowferry.toNames" -}}
{{- with .Values.networkPolicies.dns }}
- to: {{ toJson .to }}
  ports:
    {{- range .ports }}
    - {protocol: UDP, port: {{ . }}}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- end }}

{{/* The way to the API server, which no selector names: by its port, and by its addresses where they are told. */}}
{{- define "rowferry.toApiServer" -}}
{{- with .Values.networkPolicies.apiServer }}
- ports:
    {{- range .ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with .cidrs }}
  to:
    {{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The way to Redis, whose port is in redis.url unless it is told. What is in a Secret no chart sees, and a wrong port cuts Redis off. */}}
{{- define "rowferry.toRedis" -}}
{{- $port := .Values.networkPolicies.redis.port }}
{{- if not $port }}
{{- if .Values.redis.secret.name }}
{{- fail "redis.secret hides the port of Redis from the API's network policy: set networkPolicies.redis.port to it, such as 6379" }}
{{- end }}
{{- $port = regexFind ":[0-9]+([/?]|$)" (.Values.redis.url | default "") | trimAll ":/?" | default "6379" }}
{{- end }}
- ports:
    - {protocol: TCP, port: {{ $port }}}
  {{- with .Values.networkPolicies.redis.to }}
  to: {{ toJson . }}
  {{- end }}
{{- end }}

{{/* Ways out of a pod that dials what users name. */}}
{{- define "rowferry.egress" -}}
{{ include "rowferry.toNames" . }}
{{- with include "rowferry.guarded" . | trim }}
- to:
    {{- . | nindent 4 }}
{{- end }}
{{- with .Values.networkPolicies.egress }}
{{ toYaml . }}
{{- end }}
{{- end }}

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
