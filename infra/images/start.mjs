// The entry point of the image: the first argument names the program, the others are the program's own.
// Services read their settings from the environment; `seam` is the command line.
const PROGRAMS = {
  generator: () => import('../../apps/generator/dist/main.js'),
  executor: () => import('../../apps/executor/dist/main.js'),
  buffer: () => import('../../apps/buffer/dist/main.js'),
  trainer: () => import('../../apps/trainer/dist/main.js'),
  gateway: () => import('../../apps/gateway/dist/main.js'),
  seam: () => import('../../apps/cli/bin/seam.js'),
};

const [name] = process.argv.splice(2, 1);
if (Object.hasOwn(PROGRAMS, name ?? '')) await PROGRAMS[name]();
else {
  process.stderr.write(
    `Cannot start: expected one of ${Object.keys(PROGRAMS).join(', ')} as the first argument, got ${name ?? 'none'}. Name one.\n`,
  );
  process.exitCode = 64;
}
