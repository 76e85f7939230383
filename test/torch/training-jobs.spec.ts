/** The engine on PyTorch keeps the contract of jobs of files, as the engine of this repository does. */
import { readFile, rm } from 'node:fs/promises';
import { jest } from '@jest/globals';
import { pythonWithTransformers } from '@seamstream/dev-servers';
import type { EngineIdentity } from '@seamstream/events';
import { checkpointFiles, LanguageModel } from '@seamstream/language-model';
import { writeRandomModel } from '@seamstream/language-model/testing';
import { LanguageModelTraining } from '@seamstream/model-clients';
import { describeTrainingJobs } from '../../libs/training-contract/src/training-job.contract.js';
import { fetched } from '../real-model/fetched.js';
import { carryOutElsewhere, torchLauncher } from './torch-engine.js';

jest.setTimeout(1_800_000);

const python = await fetched('transformers', pythonWithTransformers);
const BATCH = { tokenIds: [5, 6, 7, 8, 9], targets: [2, 3, 4], weights: [1, 1, 1] };

let folder: string;
let model: LanguageModel;
let files: Record<string, string>;
let identity: EngineIdentity;
const engines: LanguageModelTraining[] = [];
beforeAll(async () => {
  folder = await writeRandomModel();
  model = await LanguageModel.load(folder, { threads: 1 });
  files = await checkpointFiles(folder);
  identity = await torchIdentity();
});
afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.close())));
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true });
});

/** Steps of ONNX Runtime are right; the identity is that of the program under test. */
class RightSteps extends LanguageModelTraining {
  override get identity(): EngineIdentity {
    return identity;
  }
}

/** As engines/torch states it, with the versions that it pins. */
async function torchIdentity(): Promise<EngineIdentity> {
  const project = await readFile(new URL('../../engines/torch/pyproject.toml', import.meta.url), 'utf8');
  const versions = Object.fromEntries(
    ['peft', 'torch', 'transformers'].map((name) => [name, new RegExp(`"${name}==(.*)"`).exec(project)![1]!]),
  );
  const tolerance = { weights: 1e-2, change: 1e-2 };
  return { name: 'torch', versions, device: 'cpu', precision: 'float32', worldSize: 1, tolerance };
}

(python === undefined ? describe.skip : describe)('the engine on PyTorch', () => {
  describeTrainingJobs('with PyTorch', () => ({
    carryOut: (place) => carryOutElsewhere(torchLauncher(python!, folder), place),
    open: () => {
      const engine = new RightSteps(folder, model, { threads: 1, executionProvider: 'cpu' });
      engines.push(engine);
      return Promise.resolve(engine);
    },
    vocabularySize: model.config.vocabularySize,
    baseModelFiles: files,
    sequences: [BATCH, { ...BATCH, allowed: [[7, 8], [8], [1, 9, 11]] }],
  }));
});
