import { keepFilesPrivate, onSupportedNode } from '@seamstream/kernel';

const program = { name: 'buffer', exitCode: 78 };

keepFilesPrivate(process);
await onSupportedNode(process, program, async () => {
  const { runService } = await import('@seamstream/service-kit');
  const { bufferServiceConfigSchema, bufferService } = await import('./app.module.js');
  await runService(bufferService(), bufferServiceConfigSchema, 'It keeps the experiences that helped.');
});
