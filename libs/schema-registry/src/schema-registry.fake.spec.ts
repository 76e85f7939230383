import { describeSchemaRegistryContract } from './schema-registry.contract.js';
import { InMemorySchemaRegistry } from './schema-registry.fake.js';

describeSchemaRegistryContract('the registry in memory', async () => new InMemorySchemaRegistry());
