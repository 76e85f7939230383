import { runService } from '@seamstream/service-kit';
import { bufferService, bufferServiceConfigSchema } from './app.module.js';

await runService(bufferService(), bufferServiceConfigSchema, 'It keeps the experiences that helped.');
