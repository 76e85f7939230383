{{- /* A vLLM server next to its generator: a container that starts before it and ends after it. root, service, hasModels. */ -}}
{{- define "seam.modelServer" -}}
{{- $server := .service.modelServer -}}
- name: model-server
  image: {{ required "services.generator.modelServer needs an image." $server.image | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  # Kubernetes 1.29 and newer: it keeps running while the other containers do.
  restartPolicy: Always
  command: [vllm, serve]
  args:
    - {{ required "services.generator.modelServer needs services.generator.settings.SEAM_GENERATOR_MODEL_FOLDER." (get .service.settings "SEAM_GENERATOR_MODEL_FOLDER") | quote }}
    - --served-model-name=base
    - --port=8000
    - --dtype={{ $server.precision }}
    - --enable-lora
    - --max-loras={{ $server.maxLoras }}
    - --max-lora-rank={{ $server.maxLoraRank }}
    # The probabilities that are recorded are those that were sampled from.
    - --logprobs-mode=processed_logprobs
    {{- range $server.extraArguments }}
    - {{ . | quote }}
    {{- end }}
  securityContext: {{- include "seam.containerSecurity" .root | nindent 4 }}
  env:
    - name: VLLM_ALLOW_RUNTIME_LORA_UPDATING
      value: "True"
    - name: VLLM_NO_USAGE_STATS
      value: "1"
    - name: HF_HUB_OFFLINE
      value: "1"
    - name: HOME
      value: /tmp
    {{- with .service.endpointKeySecret }}
    {{- if .name }}
    {{- include "seam.fromSecret" (dict "name" "VLLM_API_KEY" "secret" .name "key" .key) | nindent 4 }}
    {{- end }}
    {{- end }}
  startupProbe:
    httpGet: { path: /health, port: 8000 }
    periodSeconds: 10
    # A large model is read, and its kernels are compiled: half an hour.
    failureThreshold: 180
  livenessProbe:
    httpGet: { path: /health, port: 8000 }
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 6
  {{- with $server.resources }}
  resources: {{- toYaml . | nindent 4 }}
  {{- end }}
  volumeMounts:
    - name: model-server-tmp
      mountPath: /tmp
    - name: adapters
      mountPath: /adapters
      readOnly: true
    {{- if .hasModels }}
    - name: models
      mountPath: /models
      readOnly: true
    {{- end }}
{{- end }}
