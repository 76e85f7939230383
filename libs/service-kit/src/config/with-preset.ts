/** SEAM_PRESET names settings of all services at once. Other variables of the environment take precedence over them. */
import { SeamError } from '@seamstream/kernel';
import { servicePresets } from '@seamstream/learning/service-presets';

/** Chooses a preset. */
export const PRESET_VARIABLE = 'SEAM_PRESET';

/** The environment with the variables of its preset. @throws INVALID_CONFIGURATION for an unknown one */
export function withPreset(given: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const { [PRESET_VARIABLE]: name, ...rest } = given;
  if (name === undefined) return rest;
  const preset = servicePresets.get(name);
  if (preset === undefined) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot read the configuration: expected ${PRESET_VARIABLE} to be one of ${[...servicePresets.keys()].join(', ')}, got ${JSON.stringify(name)}. Choose one of them, or leave ${PRESET_VARIABLE} out.`,
    );
  }
  return { ...Object.fromEntries(Object.entries(preset).map(([variable, { value }]) => [variable, value])), ...rest };
}
