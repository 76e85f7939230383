/** Named settings of curriculum and algorithms that belong together. Only what differs from the defaults is here. */
import type { z } from 'zod';
import { curriculumConfigSchema } from './curriculum.decide.js';
import { dapo } from './dapo.preset.js';
import type { grpoConfigSchema } from './grpo.js';
import { gym, trainingFreeGrpo } from './library.presets.js';
import type { LearningPreset } from './preset.types.js';
import { satSeq } from './sat-seq.preset.js';
import { sealArc, sealPaperArc, sealPaperKnowledge, sealSquad, sealTest } from './seal.presets.js';
import { seamPaper } from './seam-paper.preset.js';
import type { sftConfigSchema } from './sft.js';

const embeddedSft: z.input<typeof sftConfigSchema> = {
  duration: { unit: 'steps', steps: 12 },
  // At 1e-3 the generator forgot to quote the statement's words, and wrong habits set before they were corrected.
  learningRate: { peak: 5e-4 },
};

const embeddedGrpo: z.input<typeof grpoConfigSchema> = {
  duration: { unit: 'steps', steps: 12 },
  // Scouts and earlier adapters find what the policy no longer tries; by ratio alone they would teach it nothing.
  importance: { correction: 'taper' },
  // At 5e-4 half of the runs were worse than their parent.
  learningRate: { peak: 3e-4 },
  entropyCoefficient: 0,
  // SEAM's released value; the reference is the adapter that training starts from.
  kl: { coefficient: 0.001 },
  window: { rounds: 3 },
};

/**
 * `embedded`: a generator of about a million parameters, all weights trained, rounds of 64 problems. `seam-paper`: SEAM as its
 * authors run it, for a pretrained generator. The others are about self-edits: SEAL as its authors run it, a smaller setting for SQuAD, and
 * minutes with the shipped models. `training-free-grpo` and `gym` are about libraries, `sat-seq` is about
 * teams. `dapo` is GRPO as DAPO's authors run it.
 */
export const presets: ReadonlyMap<string, LearningPreset> = new Map([
  [
    'embedded',
    {
      curriculum: curriculumConfigSchema.parse({ imitateBelow: 0.9 }),
      algorithms: { sft: embeddedSft, grpo: embeddedGrpo },
    },
  ],
  ['seam-paper', seamPaper],
  ['seal-paper-knowledge', sealPaperKnowledge],
  ['knowledge-incorporation-squad', sealSquad],
  ['seal-paper-arc', sealPaperArc],
  ['few-shot-learning-arc', sealArc],
  ['test', sealTest],
  ['training-free-grpo', trainingFreeGrpo],
  ['gym', gym],
  ['dapo', dapo],
  ['sat-seq', satSeq],
]);
