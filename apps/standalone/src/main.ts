import { keepFilesPrivate, onSupportedNode } from '@seamstream/kernel';

const program = { name: 'npm start', command: 'npm start', exitCode: 70 };

keepFilesPrivate(process);
await onSupportedNode(process, program, async () => {
  await import('./start.js');
});
