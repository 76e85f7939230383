import { jest } from '@jest/globals';
import { describeEventLogProcesses } from '../support/event-log-processes.js';

jest.setTimeout(60_000);
describeEventLogProcesses({ writerRounds: 3, copierKills: 5, zombies: 1 });
