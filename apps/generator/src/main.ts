import { runService } from '@seamstream/service-kit';
import { generatorConfigSchema, generatorService } from './app.module.js';

await runService(generatorService(), generatorConfigSchema, 'It writes experiences for problems.');
