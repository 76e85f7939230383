import { keepFilesPrivate, onSupportedNode } from '@seamstream/kernel';

const program = { name: 'trainer', exitCode: 78 };

keepFilesPrivate(process);
await onSupportedNode(process, program, async () => {
  const { runService } = await import('@seamstream/service-kit');
  const { trainerConfigSchema, trainerService } = await import('./app.module.js');
  await runService(trainerService(), trainerConfigSchema, 'It turns the log into adapter versions.');
});
