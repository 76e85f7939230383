/**
 * ReST-EM on self-edits: SEAL as its authors run it, on passages and on ARC, and smaller settings. `train_SFT.py` and `build_SFT_dataset.py` are files of
 * github.com/Continual-Intelligence/SEAL at 4cb1e7d; the paper is arXiv 2506.10943. The services' share is in
 * service-presets.ts, departures are in docs/explanation/algorithms/rest-em.md.
 */
import type { z } from 'zod';
import { curriculumConfigSchema } from './curriculum.decide.js';
import type { LearningPreset } from './preset.types.js';
import type { restEmConfigSchema } from './rest-em.js';

type RestEmSettings = z.input<typeof restEmConfigSchema>;

const knowledge: RestEmSettings = {
  // build_SFT_dataset.py: the best of five edits of each passage. Here it needs a gain.
  keep: 'best',
  minimumGain: 0,
  // train_SFT.sh: 1 × 5 accumulated × 2 processors.
  batchSize: 10,
  // train_SFT.py: two epochs at 3e-4.
  duration: { unit: 'epochs', epochs: 2 },
  learningRate: { peak: 3e-4 },
  // train_SFT.py: all linear layers.
  trainable: { kind: 'lora', rank: 64, alpha: 128 },
};

const squad: RestEmSettings = {
  ...knowledge,
  // A plan for DialoGPT-medium: 1e-4 and rank 16. Its dropout of 0.1 is left out.
  learningRate: { peak: 1e-4 },
  trainable: { kind: 'lora', rank: 16, alpha: 32 },
};

const arc: RestEmSettings = {
  // few-shot: every configuration that solved its task.
  keep: 'solved',
  minimumGain: 0,
  // few-shot: eight epochs at 5e-5 with batches of five.
  batchSize: 5,
  duration: { unit: 'epochs', epochs: 8 },
  learningRate: { peak: 5e-5 },
  trainable: { kind: 'lora', rank: 16, alpha: 16 },
};

const ownArc: RestEmSettings = {
  ...arc,
  learningRate: { peak: 1e-4 },
  trainable: { kind: 'lora', rank: 16, alpha: 32 },
};

const test: RestEmSettings = {
  ...knowledge,
  minExamples: 1,
  batchSize: 4,
  learningRate: { peak: 1e-3 },
  trainable: { kind: 'lora', rank: 4, alpha: 8 },
};

/** One algorithm from the beginning to the end. */
const presetOf = (restEm: RestEmSettings): LearningPreset => ({
  curriculum: curriculumConfigSchema.parse({ warmUp: 'rest-em', refine: 'rest-em' }),
  algorithms: { 'rest-em': restEm },
});

export const sealPaperKnowledge = presetOf(knowledge);
export const sealSquad = presetOf(squad);
export const sealPaperArc = presetOf(arc);
export const sealArc = presetOf(ownArc);
export const sealTest = presetOf(test);
