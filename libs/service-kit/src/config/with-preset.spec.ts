import { z } from 'zod';
import { commonConfigSchema } from './common-config.js';
import { loadConfig } from './load-config.js';

const schema = commonConfigSchema.extend({
  generator: z.object({ groupSize: z.int().default(8), controlShare: z.number().default(0.1) }).prefault({}),
});

describe('a preset of settings', () => {
  // The schema of this spec has no other settings of a generator, and says so.
  const known = z.object({ entrySchemas: z.string().optional() });

  it('applies where the environment sets nothing', () => {
    expect(loadConfig(known, { SEAM_PRESET: 'seam-paper' })).toEqual({ entrySchemas: 'memory-item' });
    expect(loadConfig(known, {})).toEqual({});
  });

  it('gives way to every variable of the environment', () => {
    expect(loadConfig(known, { SEAM_PRESET: 'seam-paper', SEAM_ENTRY_SCHEMAS: 'own.json' })).toEqual({
      entrySchemas: 'own.json',
    });
  });

  it('is refused when its name is unknown, and the error lists the known names', () => {
    expect(() => loadConfig(schema, { SEAM_PRESET: 'seam' })).toThrow(
      'Cannot read the configuration: expected SEAM_PRESET to be one of seam-paper, seal-paper-knowledge, ',
    );
  });

  it('names settings that exist: one that a service does not have would stop it', () => {
    expect(() => loadConfig(schema, { SEAM_PRESET: 'seam-paper' })).toThrow('SEAM_GENERATOR_SCOUTS: no such setting');
  });
});
