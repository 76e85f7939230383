/**
 * Python with transformers and peft, which real models are compared with and engines/torch computes with (its pyproject.toml has the same
 * versions). PyPI's PyTorch carries the libraries of graphics processors: gigabytes and minutes the first time, once for this and for vLLM,
 * whose lock file has the same PyTorch. `PYTHON=path/to/python3` names one that has them already.
 */
import { fileURLToPath } from 'node:url';
import { runTool } from './host-tools.js';
import { type Python, pythonLockedTo } from './python.js';

const LOCK = fileURLToPath(new URL('../requirements/transformers.lock', import.meta.url));

/**
 * The Python that `PYTHON` names, else one with these packages from the cache or from PyPI.
 * @throws INVALID_CONFIGURATION where Python, pip or the network is missing
 */
export async function pythonWithTransformers(): Promise<Python> {
  const own = process.env.PYTHON;
  if (own === undefined || own === '') return pythonLockedTo(LOCK);
  return {
    command: own,
    environment: {},
    run: (script, args, options) => runTool(own, [script, ...args], `run ${script}`, options),
  };
}
