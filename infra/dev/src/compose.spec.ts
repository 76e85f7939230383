/** infra/compose starts the same servers, in the same versions, as this package. */
import { readFile } from 'node:fs/promises';
import { KAFKA_VERSIONS } from './kafka-jars.js';
import { S3_VERSION } from './s3.js';
import { REGISTRY_VERSION } from './schema-registry.js';

it('the compose file names the images of the versions that are started without Docker', async () => {
  const text = await readFile(new URL('../../compose/compose.yaml', import.meta.url), 'utf8');
  const images = [...text.matchAll(/^ {4}image: (.+)$/gm)].map(([, image]) => image);
  expect(images).toEqual([
    `apache/kafka:${KAFKA_VERSIONS[0]}`,
    `versity/versitygw:v${S3_VERSION}`,
    `apicurio/apicurio-registry:${REGISTRY_VERSION}`,
  ]);
});
