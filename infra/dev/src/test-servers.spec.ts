import { environmentOf, givenServers, serviceEnvironmentOf } from './test-servers.js';

const S3 = { endpoint: 'http://s3:9000', region: 'eu-west-1', accessKeyId: 'id', secretAccessKey: 'secret' };

describe('the servers that the environment gives', () => {
  it('do not exist when it names none, or names them with nothing', () => {
    const none = { kafka: undefined, s3: undefined, registry: undefined };
    expect(givenServers({})).toEqual(none);
    expect(givenServers({ SEAM_TEST_KAFKA: '', SEAM_TEST_S3: '', SEAM_TEST_REGISTRY: '' })).toEqual(none);
  });

  it('are those whose variables the command prints', () => {
    const servers = { kafka: { bootstrap: 'a:1,b:2' }, s3: S3, registry: { url: 'http://r/apis' } };
    expect(givenServers(environmentOf(servers))).toEqual({ kafka: 'a:1,b:2', s3: S3, registry: 'http://r/apis' });
  });

  it('are passed to services by separate settings', () => {
    expect(serviceEnvironmentOf({ kafka: { bootstrap: 'a:1,b:2' } })).toEqual({
      SEAM_EVENT_LOG_DRIVER: 'kafka',
      SEAM_EVENT_LOG_KAFKA_BROKERS: 'a:1,b:2',
      SEAM_SIGNATURES_UNSIGNED: 'allowed',
    });
    expect(serviceEnvironmentOf({ s3: S3, registry: { url: 'http://r/apis' } })).toMatchObject({
      SEAM_OBJECT_STORE_DRIVER: 's3',
      SEAM_OBJECT_STORE_S3_ENDPOINT: 'http://s3:9000',
      SEAM_SCHEMA_REGISTRY_URL: 'http://r/apis',
    });
  });

  it('do not take credentials alone for an S3 server', () => {
    expect(givenServers({ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }).s3).toBeUndefined();
  });

  it('are refused when the S3 server has no credentials', () => {
    expect(() => givenServers({ SEAM_TEST_S3: 'http://s3:9000', AWS_ACCESS_KEY_ID: 'id' })).toThrow(
      /Cannot use SEAM_TEST_S3 \(http:\/\/s3:9000\): expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/,
    );
  });
});
