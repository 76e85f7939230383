// Values of what computes with models next to the services: a vLLM server, and Jobs on PyTorch.
import { flag, free, list, NAME, object, text, texts, whole } from './value-forms.mjs';

/** A server that computes the generator's model, one in each pod: a load balancer would pass an adapter to one of its servers only. */
export const modelServer = () =>
  object(
    'A vLLM server in each pod of the generator, which loads its adapters. The pod has the model in SEAM_GENERATOR_MODEL_FOLDER.',
    {
      enabled: flag(
        'Whether each pod has one. Then the chart sets SEAM_GENERATOR_DRIVER and SEAM_GENERATOR_VLLM_….',
        false,
      ),
      image: text('Image of vLLM, with its registry and tag or digest.'),
      precision: {
        ...text('Its --dtype. bfloat16 needs SEAM_GENERATOR_VLLM_TOLERANCE 0.05.', 'float32'),
        enum: ['float32', 'bfloat16'],
      },
      maxLoras: whole(
        'Its --max-loras: adapters that it computes with at once. A swap needs 2, the one that serves and the one that takes over.',
        2,
        2,
      ),
      maxLoraRank: whole('Its --max-lora-rank: the largest rank that is trained.', 32, 1),
      extraArguments: list('Further arguments.', { type: 'string' }),
      resources: free('Requests and limits.', { limits: { 'nvidia.com/gpu': 1, memory: '24Gi' } }),
    },
  );

/** The engine on PyTorch as Jobs that the worker submits. */
export const trainingJobs = () =>
  object(
    'Training by PyTorch: the worker submits a Job of Kubernetes for each planned run, and its account may create Jobs (docs/how-to/gpu-training.md says what that allows).',
    {
      enabled: flag(
        'Whether runs are trained so. Then the chart sets SEAM_TRAINER_ENGINE and SEAM_TRAINER_TORCH_….',
        false,
      ),
      image: text('Image with engines/torch, built by npm run image:torch, with its registry and tag or digest.'),
      claim: text(
        'Name of a PersistentVolumeClaim (ReadWriteMany) that holds the files of jobs, for the worker and the Jobs.',
        '',
        { ...NAME },
      ),
      processes: whole('Processes of a Job: as many as it has graphics processors.', 1, 1),
      resources: free('Requests and limits of a Job.', { limits: { 'nvidia.com/gpu': 1, memory: '64Gi' } }),
      nodeSelector: texts('Labels of the nodes that a Job may run on.'),
      tolerations: list('Taints that a Job tolerates.', { type: 'object' }),
      apiPorts: list(
        'Ports of the API of Kubernetes, which the worker reaches.',
        { type: 'integer', minimum: 1, maximum: 65535 },
        { default: [443, 6443], minItems: 1 },
      ),
      apiPeers: list(
        'Peers (as a NetworkPolicy has them) that the worker reaches at those ports: the API server; default: any address.',
        { type: 'object' },
      ),
    },
  );
