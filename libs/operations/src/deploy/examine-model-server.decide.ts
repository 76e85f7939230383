/** A vLLM server next to its generator: whether its adapters pass their test, and whether it has the processors that it wants. */
import type { ChartValues } from './chart-values.js';
import { error, type Findings, type Said, warning } from './deploy-finding.js';
import { processorsIn, type Rule, settingOf } from './rule.js';

const TOLERANCE = 'SEAM_GENERATOR_VLLM_TOLERANCE';
/** As the generator has it by default (docs/reference/settings.md). */
const DEFAULT_TOLERANCE = 0.001;
/** How far answers in bfloat16 are from a fingerprint, with a margin: docs/adr/0063. */
const TOLERANCE_OF_BFLOAT16 = 0.05;
/** Arguments of vLLM by which a model is divided among processors, or is on several. */
const DIVIDES = /^(?:--(?:tensor|pipeline|data)-parallel-size|-tp|-pp|-dp)(?:[=\s]+(\d+))?$/;

export const MODEL_SERVER: readonly Rule[] = [
  function tolerance(values: ChartValues): Findings {
    const own = serverOf(values);
    const tolerated = Number(settingOf(values, 'generator', TOLERANCE) ?? DEFAULT_TOLERANCE);
    if (own?.precision !== 'bfloat16' || tolerated >= TOLERANCE_OF_BFLOAT16) return [];
    const said: Said = [
      `services.generator.settings.${TOLERANCE}`,
      `A server in bfloat16 answers up to 1.9 % from an adapter’s fingerprint, and ${tolerated * 100} % is tolerated: every adapter is refused.`,
      `Set it to ${TOLERANCE_OF_BFLOAT16}, or modelServer.precision to float32.`,
    ];
    return [error('tolerance-below-precision', said)];
  },

  function processors(values: ChartValues): Findings {
    const own = serverOf(values);
    if (own === undefined) return [];
    // vLLM takes underscores for hyphens.
    const wanted = own.extraArguments
      .map((each, index, all) => {
        const found = DIVIDES.exec(each.replaceAll('_', '-'));
        return found === null ? 1 : Number(found[1] ?? all[index + 1] ?? 1);
      })
      .reduce((product, size) => product * size, 1);
    const given = processorsIn(own.resources);
    // Without one it is vLLM's build for other processors.
    if (given === 0 || given === wanted) return [];
    const said: Said = [
      'services.generator.modelServer.extraArguments',
      `The arguments want ${wanted} graphics processors, and each server has ${given}.`,
      'Set --tensor-parallel-size to the number in services.generator.modelServer.resources.limits.',
    ];
    return [warning('server-without-its-gpu', said)];
  },
];

function serverOf({ services: { generator } }: ChartValues): ChartValues['services']['generator']['modelServer'] {
  return generator.enabled && generator.modelServer?.enabled === true ? generator.modelServer : undefined;
}
