/** infra/compose starts the same servers, in the same versions, as this package. */
import { readFile } from 'node:fs/promises';
import { COMPOSED } from './compose.js';
import { KAFKA_VERSIONS } from './kafka-jars.js';
import { S3_VERSION } from './s3.js';
import { REGISTRY_VERSION } from './schema-registry.js';

const composeText = (): Promise<string> => readFile(new URL('../../compose/compose.yaml', import.meta.url), 'utf8');

it('the compose file names the images of the versions that are started without Docker', async () => {
  const images = [...(await composeText()).matchAll(/^ {4}image: (.+)$/gm)].map(([, image]) => image);
  expect(images).toEqual([
    `apache/kafka:${KAFKA_VERSIONS[0]}`,
    `versity/versitygw:v${S3_VERSION}`,
    `apicurio/apicurio-registry:${REGISTRY_VERSION}`,
  ]);
});

it('the compose file has its servers where tests look for them', async () => {
  const text = await composeText();
  const { kafka, s3, registry } = COMPOSED;
  const published = [...text.matchAll(/ports: \["(127\.0\.0\.1:\d+):\d+"\]/g)].map(([, address]) => address);
  expect(published).toEqual([kafka.bootstrap, new URL(s3.endpoint).host, new URL(registry.url).host]);
  expect(text).toContain(`ROOT_ACCESS_KEY_ID: ${s3.accessKeyId}\n`);
  expect(text).toContain(`ROOT_SECRET_ACCESS_KEY: ${s3.secretAccessKey}\n`);
  expect(text).toContain(`"--region", "${s3.region}"`);
});
