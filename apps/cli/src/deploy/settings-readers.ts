/** The services' own readers of settings, by program: what a service would refuse of an environment. */
import { isSeamError } from '@seamstream/kernel';
import type { SettingsReader } from '@seamstream/operations/deploy';
import type { z } from 'zod';

const SCHEMAS: Readonly<Record<string, () => Promise<z.ZodObject>>> = {
  generator: async () => (await import('@seamstream/generator/config')).generatorConfigSchema,
  executor: async () => (await import('@seamstream/executor/config')).executorConfigSchema,
  buffer: async () => (await import('@seamstream/buffer/config')).bufferServiceConfigSchema,
  trainer: async () => (await import('@seamstream/trainer/config')).trainerConfigSchema,
  gateway: async () => (await import('@seamstream/gateway/config')).gatewayConfigSchema,
};

/** Each fault begins with its variable; what may be a secret is not repeated. */
export const readSettings: SettingsReader = async (program, environment) => {
  const { loadConfig } = await import('@seamstream/service-kit/config');
  try {
    loadConfig(await SCHEMAS[program]!(), environment);
    return [];
  } catch (error) {
    if (!isSeamError(error, 'INVALID_CONFIGURATION')) throw error;
    return error.details.faults as readonly string[];
  }
};
