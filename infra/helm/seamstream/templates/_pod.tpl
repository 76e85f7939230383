{{- /* What the pods of a service are: metadata and spec. root, name, fact (of files/facts.json), isJob: whether it ends by itself. */ -}}
{{- define "seam.pod" -}}
{{- $root := .root }}
{{- $name := .name }}
{{- $fact := .fact }}
{{- $service := index $root.Values.services $name }}
{{- $in := dict "root" $root "name" $name }}
{{- $server := $service.modelServer | default dict }}
{{- if $server.enabled }}
{{- range $setting, $value := $service.settings }}
{{- if or (eq $setting "SEAM_GENERATOR_DRIVER") (regexMatch "^SEAM_GENERATOR_VLLM_(URL|MODEL|ADAPTERS_FOLDER|SERVER_ADAPTERS_FOLDER)$" $setting) }}
{{- fail (printf "services.generator.settings has %s, which services.generator.modelServer gives." $setting) }}
{{- end }}
{{- end }}
{{- end }}
{{- $training := $service.trainingJobs | default dict }}
{{- if $training.enabled }}
{{- range $setting, $value := $service.settings }}
{{- if regexMatch "^SEAM_TRAINER_(ENGINE|TORCH_(LAUNCHER|JOBS_FOLDER|PROCESSES|KUBERNETES_.*))$" $setting }}
{{- fail (printf "services.%s.settings has %s, which services.%s.trainingJobs gives." $name $setting $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- $hasAdapters := and (eq $name "generator") (or $server.enabled $root.Values.adapters.claim) }}
{{- $fetches := and $root.Values.models.fetch (ne $fact.program "buffer") }}
{{- $hasModels := or $root.Values.models.claim $fetches }}
metadata:
  labels: {{- include "seam.labels" $in | nindent 4 }}
spec:
  {{- if .isJob }}
  restartPolicy: Never
  {{- end }}
  serviceAccountName: {{ include "seam.name" (dict "root" $root "name" (ternary "training" "services" (eq true $training.enabled))) }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $service.terminationGraceSeconds }}
  securityContext: {{- include "seam.podSecurity" $root | nindent 4 }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- if $root.Values.topologySpread }}
  topologySpreadConstraints:
    {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "seam.selector" $in | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with $service.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $service.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if or $fetches $server.enabled }}
  initContainers:
    {{- if $fetches }}
    - name: models
      image: {{ include "seam.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: {{ concat (list "seam" "models" "fetch") $root.Values.models.fetch (list "--to" "/models") | toJson }}
      terminationMessagePolicy: FallbackToLogsOnError
      securityContext: {{- include "seam.containerSecurity" $root | nindent 8 }}
      env:
        {{- include "seam.connections" (dict "root" $root "principal" $fact.principal "password" $service.sasl.passwordSecret) | nindent 8 }}
      resources:
        requests: { cpu: 100m, memory: 256Mi }
        limits: { memory: 1Gi }
      volumeMounts:
        {{- include "seam.mounts" $root | nindent 8 }}
        - name: models
          mountPath: /models
    {{- end }}
    {{- if $server.enabled }}
    {{- include "seam.modelServer" (dict "root" $root "service" $service "hasModels" $hasModels) | nindent 4 }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ $name }}
      image: {{ include "seam.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [{{ $fact.program | quote }}]
      securityContext: {{- include "seam.containerSecurity" $root | nindent 8 }}
      ports:
        - name: http
          containerPort: 8080
        {{- if eq $name "gateway" }}
        - name: api
          containerPort: 7080
        {{- end }}
      {{- if and (eq $name "gateway") (semverCompare ">=1.30.0-0" $root.Capabilities.KubeVersion.Version) }}
      # It still takes clients until all that lead them to it know that it ends.
      lifecycle:
        preStop:
          sleep: { seconds: 5 }
      {{- end }}
      env:
        {{- include "seam.connections" (dict "root" $root "principal" $fact.principal "password" $service.sasl.passwordSecret) | nindent 8 }}
        - name: SEAM_HTTP_HOST
          value: 0.0.0.0
        - name: SEAM_HTTP_PORT
          value: "8080"
        # Who may ask is the NetworkPolicy's to say: probes cannot send a token out of a Secret.
        - name: SEAM_HTTP_ALLOW_UNAUTHENTICATED
          value: "true"
        {{- if $root.Values.http.tlsSecret }}
        - name: SEAM_HTTP_TLS_CERTIFICATE_FILE
          value: /etc/seam/http/tls.crt
        - name: SEAM_HTTP_TLS_KEY_FILE
          value: /etc/seam/http/tls.key
        {{- else }}
        - name: SEAM_HTTP_ALLOW_PLAINTEXT
          value: "true"
        {{- end }}
        {{- with $root.Values.tracing }}
        {{- if .url }}
        - name: SEAM_TRACING_URL
          value: {{ .url | quote }}
        - name: SEAM_TRACING_SAMPLE_RATIO
          value: {{ .sampleRatio | quote }}
        {{- if .headersSecret.name }}
        {{- include "seam.fromSecret" (dict "name" "SEAM_TRACING_HEADERS" "secret" .headersSecret.name "key" .headersSecret.key) | nindent 8 }}
        {{- end }}
        {{- end }}
        {{- end }}
        - name: SEAM_CONSUMING_SHUTDOWN_GRACE_MS
          value: {{ mul (sub $service.terminationGraceSeconds 10) 1000 | quote }}
        {{- with $fact.roles }}
        {{- $leavesReleases := and (hasKey $service "decidesReleases") (not $service.decidesReleases) }}
        - name: SEAM_TRAINER_ROLES
          value: {{ ternary (without . "releaser") . $leavesReleases | toJson | quote }}
        {{- end }}
        {{- if eq $name "gateway" }}
        - name: SEAM_GATEWAY_HOST
          value: 0.0.0.0
        - name: SEAM_GATEWAY_PORT
          value: "7080"
        # What stands before it speaks TLS.
        - name: SEAM_GATEWAY_ALLOW_PLAINTEXT
          value: "true"
        # Less the five seconds of preStop.
        - name: SEAM_GATEWAY_SHUTDOWN_GRACE_MS
          value: {{ mul (sub $service.terminationGraceSeconds 15) 1000 | quote }}
        {{- end }}
        {{- if .isJob }}
        - name: SEAM_TRAINER_TAKES
          value: one-run
        {{- end }}
        {{- if $training.enabled }}
        - name: SEAM_TRAINER_ENGINE
          value: torch
        - name: SEAM_TRAINER_TORCH_LAUNCHER
          value: kubernetes
        - name: SEAM_TRAINER_TORCH_PROCESSES
          value: {{ $training.processes | quote }}
        - name: SEAM_TRAINER_TORCH_JOBS_FOLDER
          value: /jobs
        - name: SEAM_TRAINER_TORCH_KUBERNETES_MANIFEST
          value: /etc/seam/training/job.json
        {{- end }}
        {{- if $service.signingKeySecret.name }}
        - name: SEAM_SIGNATURES_KEY_FILE
          value: /etc/seam/signing/{{ $service.signingKeySecret.key }}
        {{- end }}
        {{- if and $service.endpointKeySecret $service.endpointKeySecret.name }}
        - name: {{ $fact.keyVariable }}
          value: MODEL_SERVER_KEY
        {{- include "seam.fromSecret" (dict "name" "MODEL_SERVER_KEY" "secret" $service.endpointKeySecret.name "key" $service.endpointKeySecret.key) | nindent 8 }}
        {{- end }}
        {{- if and $service.judgeKeySecret $service.judgeKeySecret.name }}
        - name: {{ $fact.judgeKeyVariable }}
          value: JUDGE_KEY
        {{- include "seam.fromSecret" (dict "name" "JUDGE_KEY" "secret" $service.judgeKeySecret.name "key" $service.judgeKeySecret.key) | nindent 8 }}
        {{- end }}
        {{- if and $service.loginSecret $service.loginSecret.name }}
        - name: SEAM_GATEWAY_LOGIN_SECRET_VARIABLE
          value: LOGIN_CLIENT_SECRET
        {{- include "seam.fromSecret" (dict "name" "LOGIN_CLIENT_SECRET" "secret" $service.loginSecret.name "key" $service.loginSecret.key) | nindent 8 }}
        {{- end }}
        {{- if $server.enabled }}
        - name: SEAM_GENERATOR_DRIVER
          value: vllm
        - name: SEAM_GENERATOR_VLLM_URL
          value: http://127.0.0.1:8000/v1
        - name: SEAM_GENERATOR_VLLM_MODEL
          value: base
        - name: SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER
          value: /adapters
        {{- end }}
        {{- range $setting, $value := $service.settings }}
        - name: {{ $setting }}
          value: {{ include "seam.textOf" $value | quote }}
        {{- end }}
        {{- range $service.secretSettings }}
        {{- include "seam.fromSecret" (dict "name" .setting "secret" .secret "key" .key) | nindent 8 }}
        {{- end }}
      {{- $scheme := ternary "HTTPS" "HTTP" (ne $root.Values.http.tlsSecret "") }}
      startupProbe:
        httpGet: { path: /health/live, port: http, scheme: {{ $scheme }} }
        periodSeconds: 5
        # A model of gigabytes is read and checked before the port opens: ten minutes.
        failureThreshold: 120
      livenessProbe:
        httpGet: { path: /health/live, port: http, scheme: {{ $scheme }} }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /health/ready, port: http, scheme: {{ $scheme }} }
        periodSeconds: 10
        timeoutSeconds: 5
      {{- with $service.resources }}
      resources: {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        {{- include "seam.mounts" $root | nindent 8 }}
        {{- if $root.Values.http.tlsSecret }}
        - name: http-certificate
          mountPath: /etc/seam/http
          readOnly: true
        {{- end }}
        {{- if $service.signingKeySecret.name }}
        - name: signing-key
          mountPath: /etc/seam/signing
          readOnly: true
        {{- end }}
        {{- if $root.Values.files.configMap }}
        - name: files
          mountPath: /files
          readOnly: true
        {{- end }}
        {{- if $hasAdapters }}
        - name: adapters
          mountPath: /adapters
        {{- end }}
        {{- if $hasModels }}
        - name: models
          mountPath: /models
          readOnly: true
        {{- end }}
        {{- if $training.enabled }}
        - name: jobs
          mountPath: /jobs
        - name: training-job
          mountPath: /etc/seam/training
          readOnly: true
        - name: account
          mountPath: /var/run/secrets/kubernetes.io/serviceaccount
          readOnly: true
        {{- end }}
  volumes:
    {{- include "seam.volumes" $root | nindent 4 }}
    {{- with $root.Values.http.tlsSecret }}
    - name: http-certificate
      secret:
        secretName: {{ . }}
    {{- end }}
    {{- if $service.signingKeySecret.name }}
    - name: signing-key
      secret:
        secretName: {{ $service.signingKeySecret.name }}
        # Only the group of the pod may read it.
        defaultMode: 0440
    {{- end }}
    {{- with $root.Values.files.configMap }}
    - name: files
      configMap:
        name: {{ . }}
    {{- end }}
    {{- if $hasAdapters }}
    - name: adapters
      {{- if $server.enabled }}
      emptyDir:
        sizeLimit: 2Gi
      {{- else }}
      persistentVolumeClaim:
        claimName: {{ $root.Values.adapters.claim }}
      {{- end }}
    {{- end }}
    {{- if $server.enabled }}
    - name: model-server-tmp
      emptyDir:
        sizeLimit: 8Gi
    {{- end }}
    {{- if $hasModels }}
    - name: models
      {{- if $root.Values.models.claim }}
      persistentVolumeClaim:
        claimName: {{ $root.Values.models.claim }}
        readOnly: {{ not $fetches }}
      {{- else }}
      emptyDir:
        sizeLimit: {{ $root.Values.models.cacheSize }}
      {{- end }}
    {{- end }}
    {{- if $training.enabled }}
    - name: jobs
      persistentVolumeClaim:
        claimName: {{ $training.claim }}
    - name: training-job
      configMap:
        name: {{ include "seam.name" (dict "root" $root "name" "training") }}
    # The one token of the chart: of an account that may start Jobs (docs/how-to/gpu-training.md says what that allows).
    - name: account
      projected:
        sources:
          - serviceAccountToken: { path: token, expirationSeconds: 3600 }
          - configMap:
              name: kube-root-ca.crt
              items:
                - { key: ca.crt, path: ca.crt }
          - downwardAPI:
              items:
                - path: namespace
                  fieldRef: { fieldPath: metadata.namespace }
    {{- end }}
{{- end }}
