import { datasetForms } from '@seamstream/datasets';
import { SEAM_METHOD } from '@seamstream/events';
import { isSeamError } from '@seamstream/kernel';
import { EXECUTION_PROVIDERS } from '@seamstream/language-model';
import { curriculumChangesSchema, learningSettings } from '@seamstream/learning';
import { checkExecutorChoice, distillationSchema, executorChoiceShape, judgeSchema } from '@seamstream/model-clients';
import { commonConfigSchema } from '@seamstream/service-kit/config';
import { fewestForShares, fewestProblems, onlineLevel } from '@seamstream/statistics';
import { TEAM_METHOD } from '@seamstream/team-tuning';
import { PROGRESS_WITHIN_MS, START_WITHIN_MS } from '@seamstream/training-contract';
import { z } from 'zod';
import { refusedTorchOptions, TORCH_OPTIONS } from './torch-options.js';

/**
 * Fewest problems on which the rule `better` can promote: a candidate that solves every one where its parent solves none, in the first
 * comparison of a log. Later ones need a few more, until something was promoted.
 */
export function fewestToPromote({
  risk,
  minProblems,
  measure,
}: {
  readonly risk: number;
  readonly minProblems: number;
  readonly measure?: 'success' | 'share';
}): number {
  const level = onlineLevel(1, 0, risk);
  return Math.max(minProblems, measure === 'share' ? fewestForShares(level) : fewestProblems(level));
}

/** Another one is its own fault, and no number of problems follows from it. */
const isRisk = (risk: number): boolean => risk > 0 && risk < 1;

const { driver, adapterFolder, endpoint, tools, environment, innerUpdate, editFilters, fewShot } = executorChoiceShape;
const { template, templatesFolder } = executorChoiceShape;

/** Everything that the trainer reads: SEAM_TRAINER_… and the common settings. */
export const trainerConfigSchema = commonConfigSchema.extend({
  trainer: z
    .object({
      /** Folder of the base model that is trained: the generators' own. */
      modelFolder: z.string().min(1).default('models/generator-base'),
      /** As the generators have it: evaluations ask with the same prompts. */
      chatTemplate: z.enum(['auto', 'none']).default('auto'),
      /** Folder of the frozen executor, for evaluations. */
      executorFolder: z.string().min(1).default('models/executor'),
      /** SEAM_TRAINER_EXECUTOR_…, as SEAM_EXECUTOR_… of the executor's service: adapters are compared before the executor that they are for. */
      executor: z
        .object({
          ...{ driver, adapterFolder, endpoint, tools, environment, innerUpdate, editFilters, fewShot },
          ...{ template, templatesFolder },
          /** The model that judges problems with judge@1. */
          judge: judgeSchema,
        })
        .superRefine(checkExecutorChoice)
        .prefault({}),
      /** Most tokens of a response in evaluations; as the executor has it. */
      responseMaxTokens: z.int().positive().default(64),
      /** Most tokens of an entry in evaluations; as the generator has it. */
      entryMaxTokens: z.int().positive().default(64),
      /** Threads of training and evaluation; results do not depend on it. */
      threads: z.int().positive().default(2),
      /** What computes the model: cpu, or a graphics processor by webgpu or cuda where the installation has it. */
      executionProvider: z.enum(EXECUTION_PROVIDERS).default('cpu'),
      /** What trains: onnx in this process, or torch, a program that is started for each job (docs/how-to/gpu-training.md). */
      engine: z.enum(['onnx', 'torch']).default('onnx'),
      torch: z
        .object({
          /** Of the engine torch: the words of the command that starts its processes. */
          command: z.string().trim().min(1).default('torchrun --standalone'),
          /** Processes that compute a step together: as many as there are graphics processors. */
          processes: z.int().positive().default(1),
          /** More options of seamstream-torch, e.g. --precision bfloat16. */
          options: z
            .string()
            .default('')
            .refine((text) => refusedTorchOptions(text).length === 0, {
              error: `expected options of seamstream-torch with their values, out of ${TORCH_OPTIONS.join(', ')}`,
            }),
          /** Where the program is started: by this process, as a job of Ray, or as a Job of Kubernetes. */
          launcher: z.enum(['process', 'ray', 'kubernetes']).default('process'),
          /** Folder for the files of jobs, on a cluster one that its machines have at the same path; the system's temporary one when absent. */
          jobsFolder: z.string().min(1).optional(),
          /** Milliseconds that a job may wait in a cluster for its program to start; then it is given up, and tried again. */
          startWithinMs: z.int().positive().default(START_WITHIN_MS),
          /** Milliseconds that a program may run without a further step or checkpoint; then it is ended, and started again. All scores of a run count as one step. */
          progressWithinMs: z.int().positive().default(PROGRESS_WITHIN_MS),
          ray: z
            .object({
              /** Address of Ray's dashboard, whose jobs the programs are. */
              dashboard: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8265'),
              /** Graphics processors that Ray keeps free for a program. */
              gpus: z.number().min(0).default(0),
            })
            .prefault({}),
          kubernetes: z
            .object({
              /** File with the manifest of a Job (JSON): what pods look like that programs run in. */
              manifest: z.string().min(1).optional(),
              /** Address of the cluster's API. */
              server: z.url({ protocol: /^https?$/ }).default('https://kubernetes.default.svc'),
              /** Folder with token, ca.crt and namespace of the service account that submits the Jobs. */
              accountFolder: z.string().min(1).default('/var/run/secrets/kubernetes.io/serviceaccount'),
            })
            .prefault({}),
        })
        .refine(({ launcher, jobsFolder }) => launcher === 'process' || jobsFolder !== undefined, {
          path: ['jobsFolder'],
          error: 'jobs of a cluster need a folder that its machines have too: name it',
        })
        .refine(({ launcher, kubernetes }) => launcher !== 'kubernetes' || kubernetes.manifest !== undefined, {
          path: ['kubernetes', 'manifest'],
          error: 'the launcher kubernetes needs the manifest of a Job: name its file',
        })
        .prefault({}),
      /** Completed problems after which a run starts. */
      trainEveryProblems: z.int().positive().default(64),
      /** How recorded attempts become a better artefact: what runs are planned for. */
      method: z.string().min(1).default(SEAM_METHOD),
      /** Of the method team: the file with its agents; docs/how-to/teams.md. */
      team: z.string().min(1).optional(),
      /** `curriculum` decides from recorded success rates; otherwise the name of an algorithm. */
      algorithm: z.string().min(1).default('curriculum'),
      /** Named settings of curriculum and algorithms; what is given below goes before it. */
      preset: z.string().min(1).default('embedded'),
      /** What differs from the preset. */
      curriculum: curriculumChangesSchema.default({}),
      /** By algorithm: what differs from the preset. */
      algorithms: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
      /** The model that is asked by the recipe llm of the method library; docs/how-to/library.md. */
      distillation: distillationSchema,
      /** Seed of every random choice of a run, together with what the run learns from. */
      seed: z.string().default('seamstream'),
      /** Optimizer steps between two checkpoints. A killed run resumes from the last one. */
      checkpointEverySteps: z.int().positive().default(10),
      /** Problems on which an adapter is compared with its parent: a file as seam publish reads it. */
      validationProblems: z.string().min(1).optional(),
      /** Its form, as seam publish --dataset names it; by its first row when absent. */
      validationDataset: z.enum([...datasetForms.keys()]).optional(),
      /** How many of them, from the beginning; all when absent. */
      validationLimit: z.int().positive().optional(),
      promotion: z
        .object({
          /** `better`: than its parent on the same problems, beyond chance. `tolerance`: not worse by more than is tolerated. */
          rule: z.enum(['better', 'tolerance']).default('better'),
          /** Of better: `success` compares whole problems; `share` the share of each that is right, say of a passage's questions. */
          measure: z.enum(['success', 'share']).default('success'),
          /** Of better: share of wrong promotions that is accepted, over all comparisons of the log. */
          risk: z.number().gt(0).lt(1).default(0.05),
          /** Of better: problems that both are asked before the counts are looked at. */
          portion: z.int().positive().default(128),
          /** Of better: most problems of one comparison. */
          most: z.int().positive().default(1024),
          /** Of tolerance: how much lower than its parent's an adapter's success may be, as a fraction of the problems. */
          tolerance: z.number().min(0).max(1).default(0),
          /** Fewest problems that a promotion is decided on. */
          minProblems: z.int().positive().default(1),
          /** Of tolerance: what must be exceeded where nothing is known of a parent. */
          floor: z.number().min(0).max(1).default(0),
        })
        .refine(({ rule, tolerance, floor }) => rule === 'tolerance' || (tolerance === 0 && floor === 0), {
          error:
            'tolerance and floor belong to the rule tolerance: set SEAM_TRAINER_PROMOTION_RULE to it, or leave them out',
        })
        .refine(({ rule, measure }) => rule === 'better' || measure === 'success', {
          path: ['measure'],
          error: 'share belongs to the rule better: set SEAM_TRAINER_PROMOTION_RULE to it, or leave the measure out',
        })
        .refine(
          (policy) => policy.rule === 'tolerance' || !isRisk(policy.risk) || policy.most >= fewestToPromote(policy),
          {
            path: ['most'],
            error: ({ input }) =>
              `no candidate can be promoted on so few: raise it to ${fewestToPromote(input as { risk: number; minProblems: number })} at least, or raise the risk`,
          },
        )
        .prefault({}),
      /**
       * What this process does: plan runs as problems are completed, take planned runs and train, decide on the releases that people
       * planned (docs/how-to/releases.md), or several of these.
       */
      roles: z
        .array(z.enum(['planner', 'worker', 'releaser']))
        .min(1)
        .default(['planner', 'worker', 'releaser']),
      releases: z
        .object({
          /** Of the role releaser: milliseconds between two looks at what is tried. */
          lookEveryMs: z.int().positive().default(5_000),
        })
        .prefault({}),
      /** What a worker takes: runs until it is stopped, or one run, after which its process ends (a Job for each run). */
      takes: z.enum(['runs', 'one-run']).default('runs'),
      /** Name under which planned runs wait, and are taken by workers of the same name. */
      queue: z.string().min(1).default('workers'),
      /** Who works on a run and does not report for so long is taken for dead, and another may take the run. 0: no other process takes runs. */
      leaseMs: z.int().min(0).default(15_000),
      /** Most records of a batch. */
      maxBatchRecords: z.int().positive().default(500),
    })
    .refine(({ takes, roles }) => takes === 'runs' || roles.every((role) => role === 'worker'), {
      path: ['takes'],
      error:
        'a process that also plans or decides does not end with a run: set SEAM_TRAINER_ROLES to ["worker"], or take runs',
    })
    .refine(({ method, team }) => method === TEAM_METHOD || team === undefined, {
      path: ['team'],
      error: 'a team belongs to the method team: set SEAM_TRAINER_METHOD to it, or leave the team out',
    })
    .superRefine((choice, context) => {
      // The settings of a method that a host brings are checked by the planner, which knows its recipes.
      if (choice.method !== SEAM_METHOD) return;
      try {
        learningSettings(choice);
      } catch (error) {
        if (!isSeamError(error, 'INVALID_CONFIGURATION')) throw error;
        const { message, details } = error;
        context.addIssue({ code: 'custom', path: [String(details.setting)], message: message.replace(/\.$/, '') });
      }
    })
    .prefault({}),
});

export type TrainerServiceConfig = z.infer<typeof trainerConfigSchema>;
export type TrainerConfig = TrainerServiceConfig['trainer'];
