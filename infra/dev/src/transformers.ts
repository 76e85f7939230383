/**
 * Python with transformers and peft, which real models are compared with and engines/torch computes with (its pyproject.toml has the same versions). PyPI's PyTorch carries the libraries of graphics
 * processors: gigabytes and minutes the first time. `PYTHON=path/to/python3` names one that has them already.
 */
import { runTool } from './host-tools.js';
import { type Python, pythonWith } from './python.js';

const PACKAGES = ['torch==2.15.0', 'transformers==5.23.0', 'peft==0.21.2', 'gguf==0.19.0', 'accelerate==1.15.0'];

/**
 * The Python that `PYTHON` names, else one with these packages from the cache or from PyPI.
 * @throws INVALID_CONFIGURATION where Python, pip or the network is missing
 */
export async function pythonWithTransformers(): Promise<Python> {
  const own = process.env.PYTHON;
  if (own === undefined || own === '') return pythonWith(PACKAGES);
  return {
    command: own,
    environment: {},
    run: (script, args, options) => runTool(own, [script, ...args], `Running ${script}`, options),
  };
}
