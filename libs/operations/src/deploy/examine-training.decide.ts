/** Whether runs that are planned can be carried out: both halves of the trainer, the Jobs of PyTorch, their processors. */
import type { ChartValues, ServiceValues } from './chart-values.js';
import { error, type Findings, type Said, warning } from './deploy-finding.js';
import { type DeployFacts, PROCESSORS, processorsIn, type Rule, settingOf } from './rule.js';

const AT = 'services.worker.trainingJobs';

export const TRAINING: readonly Rule[] = [
  function jobs(values: ChartValues): Findings {
    const { worker } = values.services;
    const { trainingJobs } = worker;
    if (!worker.enabled || trainingJobs?.enabled !== true) return [];
    const missing: readonly (readonly [boolean, Said])[] = [
      [
        trainingJobs.image === '',
        [`${AT}.image`, 'The Jobs that train have no image.', 'Name what npm run image:torch built.'],
      ],
      [
        trainingJobs.claim === '',
        [`${AT}.claim`, 'Worker and Jobs have no folder in common.', 'Name a PersistentVolumeClaim (ReadWriteMany).'],
      ],
      [
        values.models.claim === '',
        ['models.claim', 'The Jobs that train have no model.', 'Name the PersistentVolumeClaim with the models.'],
      ],
      [
        settingOf(values, 'worker', 'SEAM_TRAINER_MODEL_FOLDER')?.startsWith('/models/') !== true,
        [
          'services.worker.settings.SEAM_TRAINER_MODEL_FOLDER',
          'The model that is trained is not where the Jobs look for it.',
          'Name a folder below /models.',
        ],
      ],
    ];
    return [
      ...missing.filter(([isMissing]) => isMissing).map(([, said]) => error('training-incomplete', said)),
      ...processors(trainingJobs),
    ];
  },

  function engine(values: ChartValues, facts: DeployFacts): Findings {
    const { worker } = values.services;
    if (!worker.enabled) return [];
    if (worker.trainingJobs?.enabled === true) return imageOfServices(values, worker.trainingJobs, facts);
    if (settingOf(values, 'worker', 'SEAM_TRAINER_ENGINE') !== 'torch') return [];
    const said: Said = [
      'services.worker.settings.SEAM_TRAINER_ENGINE',
      'The worker is to train by PyTorch itself, and the image of npm run image has no PyTorch.',
      `Set ${AT}.enabled, or give an image that has it.`,
    ];
    return [warning('torch-not-in-image', said)];
  },

  function halves({ services: { planner, worker } }: ChartValues): Findings {
    if (planner.enabled === worker.enabled) return [];
    const missing = planner.enabled ? 'worker' : 'planner';
    const message = planner.enabled
      ? 'Runs are planned and never carried out.'
      : 'No run is ever planned for the worker.';
    return [warning('half-of-learning', [`services.${missing}.enabled`, message, 'Deploy both or none of them.'])];
  },

  function scaledJobs({ services: { worker } }: ChartValues): Findings {
    if (!worker.enabled || worker.autoscaling?.jobs !== true || worker.autoscaling.enabled) return [];
    const said: Said = [
      'services.worker.autoscaling.jobs',
      'Runs are to have a Job each, and nothing starts Jobs where the worker is not scaled: it has pods that stay.',
      'Set services.worker.autoscaling.enabled as well, or jobs to false.',
    ];
    return [warning('jobs-without-scaling', said)];
  },
];

/** The image of the services starts no Python. Another tag or digest of its repository may be that of PyTorch. */
function imageOfServices(
  { image }: ChartValues,
  { image: own }: NonNullable<ServiceValues['trainingJobs']>,
  { appVersion }: DeployFacts,
): Findings {
  const [name = '', digest] = own.split('@');
  const [, repository, tag = 'latest'] = /^(.*?)(?::([^:/]*))?$/.exec(name) ?? [];
  const isSame = digest === undefined ? tag === (image.tag || appVersion) : digest === image.digest;
  if (repository !== image.repository || !isSame) return [];
  const said: Said = [
    `${AT}.image`,
    'The Jobs that train have the image of the services, which has no PyTorch.',
    'Name what npm run image:torch built.',
  ];
  return [error('torch-not-in-image', said)];
}

/** A process has a separate processor. */
function processors({ processes, resources: { limits = {} } }: NonNullable<ServiceValues['trainingJobs']>): Findings {
  const given = PROCESSORS.filter((name) => Object.hasOwn(limits, name));
  for (const name of given) {
    if (/^[1-9]\d*$/.test(String(limits[name]))) continue;
    const said: Said = [
      `${AT}.resources.limits.${name}`,
      `Kubernetes counts graphics processors in whole numbers from 1, and this is "${limits[name]}".`,
      'Set it to the number of processes.',
    ];
    return [error('no-count-of-processors', said)];
  }
  const count = processorsIn({ limits });
  // One process without a processor of this kind computes on the others.
  if (count === processes || (count === 0 && processes === 1)) return [];
  const said: Said = [
    `${AT}.processes`,
    `A Job has ${processes} ${processes === 1 ? 'process' : 'processes'} and ${count === 0 ? 'no' : count} graphics processors.`,
    `Set it to their number, which is ${AT}.resources.limits.nvidia.com/gpu or amd.com/gpu.`,
  ];
  return [warning('processes-without-their-gpu', said)];
}
