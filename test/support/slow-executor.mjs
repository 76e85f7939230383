// For `node --import`: the executor takes SLOW_FACTOR times as long for each batch.
import { registerHooks } from 'node:module';

const HANDLE = /async handle\(batch\) \{/;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!/executor\/dist\/execute-experiences\.handler\.js$/.test(url)) return loaded;
    const source = Buffer.from(loaded.source).toString();
    if (!HANDLE.test(source)) throw new Error(`slow executor: ${url} has nothing like ${HANDLE}; mend it`);
    return {
      ...loaded,
      source: source.replace(
        HANDLE,
        `async handle(batch) {
          const begun = performance.now();
          const outcomes = await this.handleSwiftly(batch);
          const ms = (performance.now() - begun) * (Number(process.env.SLOW_FACTOR) - 1);
          await new Promise((resolve) => setTimeout(resolve, ms));
          return outcomes;
        }
        async handleSwiftly(batch) {`,
      ),
    };
  },
});
