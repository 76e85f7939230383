import { keepFilesPrivate, onSupportedNode } from '@seamstream/kernel';

const program = { name: 'generator', exitCode: 78 };

keepFilesPrivate(process);
await onSupportedNode(process, program, async () => {
  const { runService } = await import('@seamstream/service-kit');
  const { generatorConfigSchema, generatorService } = await import('./app.module.js');
  await runService(generatorService(), generatorConfigSchema, 'It writes experiences for problems.');
});
