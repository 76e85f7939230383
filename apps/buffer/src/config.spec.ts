import { loadConfig } from '@seamstream/service-kit';
import { bufferServiceConfigSchema } from './config.js';

describe("the buffer's configuration", () => {
  it('bounds by default the rows of one subject, and those without one: 250 documents suffice to plant a backdoor', () => {
    const { rules } = loadConfig(bufferServiceConfigSchema, {}).buffer;
    expect(rules.maxRowsPerSubject).toBeGreaterThan(0);
    expect(rules.maxRowsPerSubject).toBeLessThan(250);
    expect(rules.uncappedSubjects).toEqual([]);
  });
});
