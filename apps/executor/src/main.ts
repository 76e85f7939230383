import { keepFilesPrivate, onSupportedNode } from '@seamstream/kernel';

const program = { name: 'executor', exitCode: 78 };

keepFilesPrivate(process);
await onSupportedNode(process, program, async () => {
  const { runService } = await import('@seamstream/service-kit');
  const { executorConfigSchema, executorService } = await import('./app.module.js');
  await runService(
    executorService(),
    executorConfigSchema,
    'It answers problems with the frozen model, and judges the answers.',
  );
});
