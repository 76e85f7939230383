import { runService } from '@seamstream/service-kit';
import { trainerConfigSchema, trainerService } from './app.module.js';

await runService(trainerService(), trainerConfigSchema, 'It turns the log into adapter versions.');
