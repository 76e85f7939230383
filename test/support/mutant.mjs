// For `node --import`: plants the fault that MUTANT names into a service as it is loaded.
import { registerHooks } from 'node:module';
import { PLANTED_FAULTS, withFault } from './planted-faults.mjs';

const { MUTANT } = process.env;
const rows = PLANTED_FAULTS[MUTANT];
if (rows === undefined)
  throw new Error(
    `Cannot plant a fault: expected MUTANT to be one of ${Object.keys(PLANTED_FAULTS).join(', ')}, got "${MUTANT}".`,
  );

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const own = rows.filter(([file]) => file.test(url));
    if (own.length === 0) return loaded;
    return { ...loaded, source: withFault(MUTANT, url, Buffer.from(loaded.source).toString(), own) };
  },
});
