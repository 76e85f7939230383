import { keepFilesPrivate, onSupportedNode } from '@seamstream/kernel';

const program = { name: 'gateway', exitCode: 78 };

keepFilesPrivate(process);
await onSupportedNode(process, program, async () => {
  const { runService } = await import('@seamstream/service-kit');
  const { gatewayConfigSchema, gatewayService } = await import('./app.module.js');
  await runService(gatewayService(), gatewayConfigSchema, 'It answers OpenAI clients, and records what it answers.');
});
