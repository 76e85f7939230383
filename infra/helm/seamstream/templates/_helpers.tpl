{{- define "seam.facts" -}}{{ .Files.Get "files/facts.json" }}{{- end }}

{{- define "seam.name" -}}{{ printf "%s-%s" (.root.Release.Name | trunc 40 | trimSuffix "-") .name }}{{- end }}

{{- define "seam.selector" -}}
app.kubernetes.io/name: seamstream
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "seam.labels" -}}
{{ include "seam.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "seam.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest }}{{ $image.repository }}@{{ $image.digest }}{{ else }}{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end }}

{{- /* The port of an address. */ -}}
{{- define "seam.portOf" -}}
{{- $url := urlParse . -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end }}

{{- /* What every pod is: the restricted standard, https://kubernetes.io/docs/concepts/security/pod-security-standards/ */ -}}
{{- define "seam.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "seam.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
{{- end }}

{{- /* A setting as text. Numbers of files are floating, which toString writes as 3.6e+06. */ -}}
{{- define "seam.textOf" -}}{{ if kindIs "float64" . }}{{ toJson . }}{{ else }}{{ toString . }}{{ end }}{{- end }}

{{- /* One variable from a Secret: name, secret, key. */ -}}
{{- define "seam.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end }}

{{- /* Where the log and the objects are, and who asks. root, principal, password (a secretKey value). */ -}}
{{- define "seam.connections" -}}
{{- $v := .root.Values -}}
- name: SEAM_DATA_FOLDER
  value: /tmp/data
- name: XDG_CACHE_HOME
  value: /tmp/cache
- name: SEAM_EVENT_LOG_DRIVER
  value: kafka
- name: SEAM_EVENT_LOG_KAFKA_BROKERS
  value: {{ join "," $v.kafka.brokers | quote }}
- name: SEAM_EVENT_LOG_KAFKA_CLIENT_ID
  value: {{ .principal }}
{{- with $v.kafka.prefix }}
- name: SEAM_EVENT_LOG_KAFKA_PREFIX
  value: {{ . | quote }}
{{- end }}
- name: SEAM_EVENT_LOG_KAFKA_TLS_ENABLED
  value: {{ $v.kafka.tls.enabled | quote }}
{{- if and $v.kafka.tls.enabled $v.kafka.tls.authoritySecret.name }}
- name: SEAM_EVENT_LOG_KAFKA_TLS_AUTHORITY_FILE
  value: /etc/seam/kafka/{{ $v.kafka.tls.authoritySecret.key }}
{{- end }}
{{- if .password.name }}
- name: SEAM_EVENT_LOG_KAFKA_SASL_MECHANISM
  value: {{ $v.kafka.sasl.mechanism }}
- name: SEAM_EVENT_LOG_KAFKA_SASL_USERNAME
  value: {{ .principal }}
{{ include "seam.fromSecret" (dict "name" "SEAM_EVENT_LOG_KAFKA_SASL_PASSWORD" "secret" .password.name "key" .password.key) }}
{{- end }}
- name: SEAM_OBJECT_STORE_DRIVER
  value: s3
- name: SEAM_OBJECT_STORE_S3_BUCKET
  value: {{ $v.objectStore.bucket | quote }}
- name: SEAM_OBJECT_STORE_S3_REGION
  value: {{ $v.objectStore.region | quote }}
{{- with $v.objectStore.prefix }}
- name: SEAM_OBJECT_STORE_S3_PREFIX
  value: {{ . | quote }}
{{- end }}
{{- with $v.objectStore.endpoint }}
- name: SEAM_OBJECT_STORE_S3_ENDPOINT
  value: {{ . | quote }}
{{- end }}
- name: SEAM_OBJECT_STORE_S3_PATH_STYLE
  value: {{ $v.objectStore.pathStyle | quote }}
{{- with $v.objectStore.credentialsSecret }}
{{- range $key := list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
{{ include "seam.fromSecret" (dict "name" $key "secret" $v.objectStore.credentialsSecret "key" $key) }}
{{- end }}
{{- end }}
{{- if $v.trustedKeysConfigMap }}
- name: SEAM_SIGNATURES_TRUSTED_KEYS_FILE
  value: /etc/seam/trusted/trusted-keys.json
{{- end }}
{{- range $name, $value := $v.settings }}
- name: {{ $name }}
  value: {{ include "seam.textOf" $value | quote }}
{{- end }}
{{- end }}

{{- /* Mounts that every pod has. */ -}}
{{- define "seam.mounts" -}}
{{- $v := .Values -}}
- name: tmp
  mountPath: /tmp
{{- if and $v.kafka.tls.enabled $v.kafka.tls.authoritySecret.name }}
- name: kafka-authority
  mountPath: /etc/seam/kafka
  readOnly: true
{{- end }}
{{- if $v.trustedKeysConfigMap }}
- name: trusted-keys
  mountPath: /etc/seam/trusted
  readOnly: true
{{- end }}
{{- end }}

{{- define "seam.volumes" -}}
{{- $v := .Values -}}
- name: tmp
  emptyDir:
    sizeLimit: 2Gi
{{- if and $v.kafka.tls.enabled $v.kafka.tls.authoritySecret.name }}
- name: kafka-authority
  secret:
    secretName: {{ $v.kafka.tls.authoritySecret.name }}
    items:
      - key: {{ $v.kafka.tls.authoritySecret.key }}
        path: {{ $v.kafka.tls.authoritySecret.key }}
{{- end }}
{{- if $v.trustedKeysConfigMap }}
- name: trusted-keys
  configMap:
    name: {{ $v.trustedKeysConfigMap }}
{{- end }}
{{- end }}
