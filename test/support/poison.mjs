// For `node --import`: the generator cannot bear some problems. What one does to it, its id says: kills-…, grows-…, hangs-…
import { registerHooks } from 'node:module';

const HANDLE = /async handle\(batch\) \{/;

globalThis.takePoison = async ({ records }) => {
  for (const { event } of records) {
    const what = event.problem.problemId.split('-')[0];
    if (what === 'kills') process.kill(process.pid, 'SIGSEGV');
    if (what === 'hangs') await new Promise(() => undefined);
    if (what === 'grows') {
      const kept = [];
      for (;;) kept.push(Array.from({ length: 1e5 }, (_, index) => ({ index })));
    }
  }
};

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!/generator\/dist\/write-experiences\.handler\.js$/.test(url)) return loaded;
    const source = Buffer.from(loaded.source).toString();
    if (!HANDLE.test(source)) throw new Error(`poison: ${url} has nothing like ${HANDLE}; mend the poison`);
    return { ...loaded, source: source.replace(HANDLE, (head) => `${head} await globalThis.takePoison(batch);`) };
  },
});
