{{/* Name of the Secret with Stripe's keys; empty: billing is off. Values of an earlier chart have no billing. */}}
{{- define "rowferry.stripeSecret" -}}
{{- if and ((.Values.billing).stripe).secretName (not .Values.api.baseUrl) }}
{{- fail "billing is on and api.baseUrl is empty: set it to where users reach the API, such as https://rowferry.example.com; Stripe's pages lead back to it" }}
{{- end }}
{{- ((.Values.billing).stripe).secretName | default "" }}
{{- end }}

{{/* Stripe's environment, as far as operator and API share it. */}}
{{- define "rowferry.stripeEnvironment" -}}
{{- if include "rowferry.stripeSecret" . }}
- name: ROWFERRY_STRIPE_KEY_FILE
  value: /etc/rowferry/stripe/key
{{- with .Values.billing.stripe.url }}
- name: ROWFERRY_STRIPE_URL
  value: {{ . | quote }}
{{- end }}
- name: ROWFERRY_PRICES
  value: {{ include "rowferry.prices" .Values.billing.prices | quote }}
{{- end }}
{{- end }}

{{- define "rowferry.prices" -}}
{{- $last := int (sub (len .steps) 1) }}
{{- $before := 0.0 }}
{{- range $at, $step := .steps }}
{{- if and (eq $at $last) (hasKey $step "upToGb") }}
{{- fail "the last of billing.prices.steps has upToGb: leave it out, so that larger sources have a price too" }}
{{- end }}
{{- if ne $at $last }}
{{- if le (float64 (default 0 $step.upToGb)) $before }}
{{- fail (printf "step %d of billing.prices.steps has no upToGb, or none above that of the step before: the steps must rise by upToGb" (add1 $at)) }}
{{- end }}
{{- $before = float64 $step.upToGb }}
{{- end }}
{{- end }}
{{- toJson . }}
{{- end }}

{{/* The API's: prices and the webhook. */}}
{{- define "rowferry.billingOfApi" -}}
{{- include "rowferry.stripeEnvironment" . }}
{{- if include "rowferry.stripeSecret" . }}
{{- with .Values.billing }}
{{- if .stripe.webhook }}
- name: ROWFERRY_STRIPE_WEBHOOK_FILE
  value: /etc/rowferry/stripe/webhook-secret
{{- end }}
- name: ROWFERRY_PRO_PRICE
  value: {{ include "rowferry.proPrice" .pro | quote }}
- name: ROWFERRY_MOST_UNPAID
  value: {{ .mostUnpaid | int | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "rowferry.proPrice" -}}
{{- if .price }}{{ toJson (dict "price" .price) }}
{{- else if .amount }}{{ toJson (dict "amount" .amount "interval" .interval) }}
{{- else }}null
{{- end }}
{{- end }}

{{/* The operator's: how long it waits. */}}
{{- define "rowferry.billingOfOperator" -}}
{{- include "rowferry.stripeEnvironment" . }}
{{- if include "rowferry.stripeSecret" . }}
- name: ROWFERRY_CURRENCY
  value: {{ .Values.api.currency | quote }}
{{- with .Values.billing }}
- name: ROWFERRY_HOLD_GRACE_HOURS
  value: {{ .holdGrace | quote }}
- name: ROWFERRY_UNPAID_DAYS
  value: {{ .unpaidDays | int | quote }}
- name: ROWFERRY_PAST_DUE_DAYS
  value: {{ .pro.pastDueDays | int | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The Secret as files: a list of the keys and the root. Environment variables would be in a crash's dump, and in the pod's children. */}}
{{- define "rowferry.stripeVolume" -}}
- name: stripe
  secret:
    secretName: {{ include "rowferry.stripeSecret" (last .) }}
    defaultMode: 0440
    items:
      {{- range first . }}
      - {key: {{ . }}, path: {{ . }}}
      {{- end }}
{{- end }}

{{- define "rowferry.stripeMount" -}}
- name: stripe
  mountPath: /etc/rowferry/stripe
  readOnly: true
{{- end }}

{{/* The way to Stripe, whose addresses change: the public ones. billing.stripe.url can be a Service, whose peers are any at its port. */}}
{{- define "rowferry.toStripe" -}}
{{- $url := .Values.billing.stripe.url }}
{{- $port := 443 }}
{{- if $url }}
{{- $port = regexFind ":[0-9]+$" $url | trimPrefix ":" | default (ternary "443" "80" (hasPrefix "https:" $url)) }}
{{- end }}
- ports:
    - {protocol: TCP, port: {{ $port }}}
  {{- with (.Values.networkPolicies.stripe).to }}
  to: {{ toJson . }}
  {{- else }}
  {{- if not $url }}
  to:
    {{- $special := concat .Values.networkPolicies.except.v4 .Values.networkPolicies.except.v6 }}
    {{- range list "0.0.0.0/0" "2000::/3" }}
    {{- include "rowferry.block" (dict "cidr" . "without" $special) | trim | nindent 4 }}
    {{- end }}
  {{- end }}
  {{- end }}
{{- end }}
