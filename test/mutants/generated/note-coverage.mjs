// Notes which mutants a spec reaches, in each realm that loads it: jest's, the process's own, its threads' and its children's. A mutant is
// written down at the moment it is reached first: a thread that is stopped or a process that is killed has noted as much as one that ends.
import { appendFileSync } from 'node:fs';

const file = process.env.SEAM_MUTANTS_REACHED;
if (file !== undefined) {
  // The code that the instrumenter writes counts in a plain object. What it has not yet counted is asked of the prototype.
  const firsts = new Proxy(
    {},
    {
      set(_, id, value, counts) {
        appendFileSync(file, `${id}\n`);
        return Reflect.defineProperty(counts, id, { value, writable: true, enumerable: true });
      },
    },
  );
  globalThis.__stryker__ ??= { mutantCoverage: { static: Object.create(firsts), perTest: {} } };
}
