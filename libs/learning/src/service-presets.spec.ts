import { servicePresets } from './service-presets.js';

describe('a preset of the services', () => {
  // Without a value a variable counts as not set, and the service takes its default.
  it.each([...servicePresets])('%s says a value of each of its variables, and where it comes from', (_, preset) => {
    for (const [variable, { value, source }] of Object.entries(preset))
      expect([variable, value, source]).toEqual([
        expect.stringMatching(/^SEAM_[A-Z_]+$/),
        expect.stringMatching(/\S/),
        expect.stringMatching(/\S/),
      ]);
  });
});
