import { keepFilesPrivate, onSupportedNode } from '@seamstream/kernel';

keepFilesPrivate(process);
await onSupportedNode(process, { name: 'npm start', exitCode: 70 }, async () => {
  const { runStart } = await import('./run-start.js');
  process.exit(await runStart(process.argv.slice(2)));
});
