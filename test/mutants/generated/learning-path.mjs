// What lies between a sampled token and a served adapter: the one list of files whose generated mutants the specs have to notice, and of
// the specs that are asked. `slow` specs are not: a mutant has to be noticed next to the code, within seconds.
import { globSync } from 'node:fs';

/** Sources by room, in the order of the path. Globs are those of Node. */
const SOURCES = [
  // Writing an entry: the decoder, its grammar and the sampler.
  'libs/language-model/src/generation/{candidate,decode-batch,decode-step,generation-lane,grammars,prefill,sampler}.ts',
  'libs/language-model/src/graphs/{decoder,generation-graphs,rotary,training-graph}.ts',
  'libs/rollout/src/**/*.ts',
  // Its verdict, and what is made of it: groups, the success buffer and its versions.
  'apps/executor/src/{rewarded-attempts,settle-answers.decide}.ts',
  'libs/experience-groups/src/*.ts',
  'libs/success-buffer/src/*.ts',
  // A training run: what is planned, the loss, its gradient, the optimizer and the adapter's file.
  'libs/learning/src/*.ts',
  'libs/training-runs/src/{carry-out.decide,checkpoints,compare-adapters,computed-log-probs,gradient-method,gradient-runner}.ts',
  'libs/training-runs/src/{judge-adapter,learning-input,make-artefact,outcome-window,plan-doubt.decide,recorded-events}.ts',
  'libs/training-runs/src/{recorded-replies,run-plan,spelled-input,training-history,training-run,validation-row}.ts',
  'libs/tensor-graph/src/{derivative-rules,differentiate,graph,shape-rules,value}.ts',
  'libs/language-model/src/training/*.ts',
  'libs/language-model/src/adapters/*.ts',
  // Whether it is served: its evaluation, the statistics, the decision, and the draw between two that are served.
  'libs/evaluation/src/{evaluate,evaluate-samples,faithful-share}.ts',
  'libs/training-runs/src/adapter-evaluation.rollout.adapter.ts',
  'libs/statistics/src/*.ts',
  'libs/release/src/*.ts',
  'apps/trainer/src/{decide-releases,validation-problems}.ts',
  'apps/generator/src/release-draw.decide.ts',
];
/** Files that nothing is learned in: tests, their models, types, lists of names, and the entries of threads. */
const NOT_SOURCES = /\.(spec|fake|types|port|worker)\.ts$|\/(index|testing)\.ts$/;

const SPECS = [
  'libs/{language-model,rollout,experience-groups,success-buffer,learning,training-runs,tensor-graph}/src/**/*.spec.ts',
  'libs/{evaluation,statistics,release,read-models,team-tuning}/src/**/*.spec.ts',
  'apps/{executor,buffer,trainer,generator}/src/**/*.spec.ts',
  'test/quick/{masked-training,one-text,statistics-reference}.spec.ts',
];

const files = (globs, root) => [...new Set(globs.flatMap((glob) => globSync(glob, { cwd: root })))].sort();

/** Paths from the root. */
export const learningPath = (root) => files(SOURCES, root).filter((file) => !NOT_SOURCES.test(file));

/** Paths from the root. */
export const askedSpecs = (root) => files(SPECS, root);
