/** Mistakes in rendered manifests of production, each with what has to be said about it. A row each. */
interface Plant {
  readonly title: string;
  readonly from: RegExp | string;
  readonly to: string;
  readonly finds: RegExp;
}

export const PLANTS: readonly Plant[] = [
  {
    title: 'a misspelt field of a container',
    from: 'readOnlyRootFilesystem:',
    to: 'readonlyRootFilesystem:',
    finds: /readonlyRootFilesystem/,
  },
  {
    title: 'a number in place of a text',
    from: /lagThreshold: "256"/,
    to: 'lagThreshold: 256',
    finds: /256 is not of type 'string'/,
  },
  {
    title: 'a text in place of a number',
    from: /maxReplicaCount: 4/,
    to: 'maxReplicaCount: "4"',
    finds: /'4' is not of type 'integer'/,
  },
  {
    title: 'a field that KEDA does not know',
    from: 'minReplicaCount',
    to: 'minReplicas',
    finds: /Scaled(Job|Object).*minReplicas/,
  },
  {
    title: 'a field that Strimzi does not know',
    from: 'topicName:',
    to: 'topic:',
    finds: /KafkaTopic.*'topic' was unexpected/,
  },
  { title: 'an operation that Kafka does not have', from: '"Read"', to: '"Reed"', finds: /'Reed' is not one of/ },
  {
    title: 'a field that Prometheus does not know',
    from: 'podMetricsEndpoints',
    to: 'metricsEndpoints',
    finds: /PodMonitor.*metricsEndpoints/,
  },
  {
    title: 'a number as the label of an alert',
    from: 'severity: critical',
    to: 'severity: 1',
    finds: /1 is not of type 'string'/,
  },
  {
    title: 'an API version that is gone',
    from: 'policy/v1\n',
    to: 'policy/v1beta1\n',
    finds: /no schema knows policy\/v1beta1/,
  },
  { title: 'a kind outside the list', from: /kind: ServiceAccount/, to: 'kind: Secret', finds: /kind Secret|Secret/ },
  { title: 'a pod that may be root', from: 'runAsNonRoot: true', to: 'runAsNonRoot: false', finds: /runs as non-root/ },
  {
    title: 'a pod without a profile of system calls',
    from: 'type: RuntimeDefault',
    to: 'type: Unconfined',
    finds: /seccomp/,
  },
  {
    title: 'a pod with a token',
    from: /automountServiceAccountToken: false\n {6}enable/,
    to: 'automountServiceAccountToken: true\n      enable',
    finds: /no token/,
  },
  { title: 'a container with capabilities', from: 'drop: ["ALL"]', to: 'drop: ["NET_RAW"]', finds: /no capabilities/ },
  {
    title: 'a container that may escalate',
    from: 'allowPrivilegeEscalation: false',
    to: 'allowPrivilegeEscalation: true',
    finds: /no escalation/,
  },
  {
    title: 'a root that can be written',
    from: 'readOnlyRootFilesystem: true',
    to: 'readOnlyRootFilesystem: false',
    finds: /read-only root/,
  },
  {
    title: 'a folder of the node',
    from: /emptyDir:\n\s+sizeLimit: 2Gi/,
    to: 'hostPath: { path: / }',
    finds: /volumes/,
  },
  { title: 'another image', from: /image: "[^"]+"/, to: 'image: "other:latest"', finds: /image other:latest/ },
  {
    title: 'a password in plain text',
    from: /(KAFKA_SASL_PASSWORD\n\s+)valueFrom:\n\s+secretKeyRef:\n.*\n.*\n/,
    to: '$1value: hunter2\n',
    finds: /SASL_PASSWORD in plain text/,
  },
  {
    title: 'a variable that no service knows',
    from: 'SEAM_HTTP_HOST',
    to: 'SEAM_HTTP_ADDRESS',
    finds: /no setting SEAM_HTTP_ADDRESS/,
  },
  {
    title: 'a door in at a port that no pod opens',
    from: 'protocol: TCP, port: http',
    to: 'protocol: TCP, port: 9090',
    finds: /a door in at 9090/,
  },
  {
    title: 'a door in for everybody',
    from: /from:\n\s+- namespaceSelector:\n\s+matchLabels:\n\s+kubernetes.io\/metadata.name: monitoring\n/,
    to: '',
    finds: /a door in for everybody/,
  },
  {
    title: 'a door out that no value names',
    from: 'protocol: TCP, port: 9093',
    to: 'protocol: TCP, port: 22',
    finds: /a door out at 22/,
  },
  {
    title: 'pods that are open by default',
    from: 'policyTypes: [Ingress, Egress]',
    to: 'policyTypes: [Ingress]',
    finds: /not shut by default/,
  },
  {
    title: 'a kill before the batch may end',
    from: 'terminationGracePeriodSeconds: 60',
    to: 'terminationGracePeriodSeconds: 30',
    finds: /killed before/,
  },
  {
    title: 'a key that a trigger of Kafka does not know',
    from: 'consumerGroup:',
    to: 'group:',
    finds: /a trigger kafka without consumerGroup\n.*a trigger kafka with group/,
  },
  {
    title: 'a query that is not there',
    from: /query: .*/,
    to: 'query: ""',
    finds: /a trigger prometheus without query/,
  },
  { title: 'a trigger of another name', from: 'type: prometheus', to: 'type: promql', finds: /no trigger promql/ },
  {
    title: 'a scaler of what is not there',
    from: /(scaleTargetRef:\n\s+name: demo-executor)/,
    to: '$1s',
    finds: /scales demo-executors, which is not there/,
  },
  {
    title: 'an authentication that is not there',
    from: /(authenticationRef:\n\s+name: demo-generator)/,
    to: '$1s',
    finds: /no authentication demo-generators/,
  },
  {
    title: 'a field that External Secrets does not know',
    from: 'remoteRef:',
    to: 'from:',
    finds: /ExternalSecret.*'from' was unexpected/,
  },
  {
    title: 'an ExternalSecret without a store',
    from: /secretStoreRef:\n.*\n.*\n/,
    to: 'secretStoreRef: []\n',
    finds: /ExternalSecret.*\[\] is not of type 'object'/,
  },
  {
    title: 'a model server without room for a swap',
    from: '--max-loras=2',
    to: '--max-loras=1',
    finds: /model-server has no room for a swap/,
  },
  {
    title: 'a model server that does not see the adapters',
    from: /(readOnly: true\n\s+)?- name: adapters\n\s+mountPath: \/adapters/,
    to: '- name: adapters\n              mountPath: /other',
    finds: /model-server does not see \/adapters/,
  },
  {
    title: 'a model server that ends before its generator starts',
    from: /restartPolicy: Always\n/,
    to: '\n',
    finds: /model-server does not keep running/,
  },
  {
    title: 'a field of a ScaledJob that KEDA does not know',
    from: 'jobTargetRef:',
    to: 'jobTarget:',
    finds: /ScaledJob.*jobTarget/,
  },
  {
    title: 'a worker that may read Secrets',
    from: /resources: \[pods\], verbs: \[list\]/,
    to: 'resources: [pods, secrets], verbs: [list]',
    finds: /a role that may list \/pods,secrets/,
  },
  {
    title: 'a token of an account without a role',
    from: /(kind: Role\nmetadata:\n\s+name: demo-training)/,
    to: '$1-jobs',
    finds: /a token of an account without a role/,
  },
  {
    title: 'a program that trains on another volume than its worker',
    from: '"claimName": "seam-jobs"',
    to: '"claimName": "other"',
    finds: /\/jobs is another one than its worker's/,
  },
  {
    title: 'a program that trains as root',
    from: '"runAsNonRoot": true',
    to: '"runAsNonRoot": false',
    finds: /demo-training-job: runs as non-root/,
  },
];
