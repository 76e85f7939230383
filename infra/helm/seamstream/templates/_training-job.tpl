{{- /* The Job that a worker submits for a planned run: what its pod looks like. Its processes are on one node and ask nobody. root, training. */ -}}
{{- define "seam.trainingJob" -}}
{{- $in := dict "root" .root "name" "training-job" -}}
apiVersion: batch/v1
kind: Job
metadata:
  labels: {{- include "seam.labels" $in | nindent 4 }}
spec:
  ttlSecondsAfterFinished: 86400
  template:
    metadata:
      labels: {{- include "seam.labels" $in | nindent 8 }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext: {{- include "seam.podSecurity" .root | nindent 8 }}
      {{- with .root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      {{- with .training.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .training.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: torch
          image: {{ required "services.worker.trainingJobs needs an image." .training.image | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          env:
            - name: HOME
              value: /tmp
            - name: HF_HUB_OFFLINE
              value: "1"
          resources: {{- toYaml .training.resources | nindent 12 }}
          securityContext: {{- include "seam.containerSecurity" .root | nindent 12 }}
          volumeMounts:
            - { name: jobs, mountPath: /jobs }
            - { name: models, mountPath: /models, readOnly: true }
            - { name: tmp, mountPath: /tmp }
            - { name: memory, mountPath: /dev/shm }
      volumes:
        - name: jobs
          persistentVolumeClaim:
            claimName: {{ required "services.worker.trainingJobs needs a claim." .training.claim }}
        - name: models
          persistentVolumeClaim:
            claimName: {{ required "services.worker.trainingJobs needs models.claim, where the Jobs read the model." .root.Values.models.claim }}
        - name: tmp
          emptyDir:
            sizeLimit: 8Gi
        # What processes of one node hand to each other.
        - name: memory
          emptyDir:
            medium: Memory
            sizeLimit: 8Gi
{{- end }}
