{{/* Name of the Secret with the client secret; empty: nobody signs in by OpenID Connect. Values of an earlier chart have no api.oidc. */}}
{{- define "rowferry.oidcSecret" -}}
{{- $oidc := .Values.api.oidc | default dict }}
{{- if $oidc.issuer }}
{{- if not $oidc.clientId }}
{{- fail "api.oidc.issuer is set and api.oidc.clientId is empty: set it to the id of Rowferry's client at the issuer" }}
{{- end }}
{{- if not $oidc.secretName }}
{{- fail "api.oidc.issuer is set and api.oidc.secretName is empty: name a Secret with the client secret as client-secret" }}
{{- end }}
{{- if not .Values.api.baseUrl }}
{{- fail "api.oidc.issuer is set and api.baseUrl is empty: set it to where users reach the API, such as https://rowferry.example.com; the issuer leads browsers back to it" }}
{{- end }}
{{- $oidc.secretName }}
{{- end }}
{{- end }}

{{- define "rowferry.oidcEnvironment" -}}
{{- if include "rowferry.oidcSecret" . }}
{{- with .Values.api.oidc }}
{{- $settings := pick . "issuer" "clientId" "scopes" "name" "only" "createAccounts" "allowedDomains" "trustEmails" }}
- name: ROWFERRY_OIDC
  value: {{ (empty .ca | ternary $settings (merge (dict "ca" .ca) $settings)) | toJson | quote }}
- name: ROWFERRY_OIDC_SECRET_FILE
  value: /etc/rowferry/oidc/client-secret
{{- end }}
{{- end }}
{{- end }}

{{/* The way to the issuer, whose endpoints may be at several names: the public addresses. An issuer in the cluster needs networkPolicies.oidc.to. */}}
{{- define "rowferry.toOidc" -}}
{{- $issuer := .Values.api.oidc.issuer }}
{{- $host := urlParse $issuer | dig "host" "" }}
- ports:
    - {protocol: TCP, port: {{ regexFind ":[0-9]+$" $host | trimPrefix ":" | default "443" }}}
  {{- with (.Values.networkPolicies.oidc).to }}
  to: {{ toJson . }}
  {{- else }}
  to:
    {{- $special := concat .Values.networkPolicies.except.v4 .Values.networkPolicies.except.v6 }}
    {{- range list "0.0.0.0/0" "2000::/3" }}
    {{- include "rowferry.block" (dict "cidr" . "without" $special) | trim | nindent 4 }}
    {{- end }}
  {{- end }}
{{- end }}
