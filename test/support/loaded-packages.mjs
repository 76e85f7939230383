// Prints on exit what a process has loaded: one line of standard error, "loaded: " and the names of packages and workspaces. Use it with --import.
import { registerHooks } from 'node:module';

const urls = new Set();
registerHooks({
  load(url, context, next) {
    urls.add(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  const names = [...urls].map(
    (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? /(?:libs|apps)\/[^/]+/.exec(url)?.[0],
  );
  process.stderr.write(
    `loaded: ${[...new Set(names)]
      .filter((name) => name !== undefined)
      .sort()
      .join(' ')}\n`,
  );
});
