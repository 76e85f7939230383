/** Logs by name, as a command line names them: `lmdb:data/log`, `kafka://host:9092,other:9092/prefix.`. Pure. */
import { SeamError } from '@seamstream/kernel';

export type LogAddress =
  | { readonly driver: 'lmdb'; readonly folder: string }
  /** Credentials and TLS come from the configuration, never from the command line, which others can see. */
  | {
      readonly driver: 'kafka';
      readonly brokers: readonly string[];
      /** Of the names of topics and groups; several logs may share a cluster. */
      readonly prefix: string | undefined;
    };

const PREFIX = /^[a-zA-Z0-9._-]+$/;
const BROKER = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\]):(\d{1,5})$/;

/** Reads the value of an option that names a log. INVALID_INPUT for anything else. */
export function parseLogAddress(option: string, text: string): LogAddress {
  const refuse = (expected: string): SeamError => {
    return new SeamError('INVALID_INPUT', `Cannot read ${option}: expected ${expected}, got "${text}".`, {
      details: { option },
    });
  };
  if (text.startsWith('lmdb:')) {
    const folder = text.slice('lmdb:'.length);
    if (folder === '' || folder.startsWith('//')) throw refuse('lmdb: and the folder of the log (lmdb:data/log)');
    return { driver: 'lmdb', folder };
  }
  if (text.startsWith('kafka://')) {
    const list = text.slice('kafka://'.length);
    if (list.includes('@'))
      throw refuse('brokers without credentials (those are settings: SEAM_EVENT_LOG_KAFKA_… in the environment)');
    const slash = list.indexOf('/');
    const brokers = (slash < 0 ? list : list.slice(0, slash)).split(',');
    const prefix = slash < 0 ? '' : list.slice(slash + 1);
    for (const broker of brokers) {
      const port = Number(BROKER.exec(broker)?.[1] ?? 0);
      if (port < 1 || port > 65_535) throw refuse('kafka:// and brokers as host:port, separated by commas');
    }
    if (prefix !== '' && !PREFIX.test(prefix))
      throw refuse('a prefix of the letters a-z A-Z 0-9 . _ - after the brokers');
    return { driver: 'kafka', brokers, prefix: prefix === '' ? undefined : prefix };
  }
  throw refuse('lmdb:FOLDER (lmdb:data/log) or kafka://HOST:PORT[,HOST:PORT][/PREFIX]');
}

/** The address as it is typed. */
export function showLogAddress(address: LogAddress): string {
  return address.driver === 'lmdb'
    ? `lmdb:${address.folder}`
    : `kafka://${address.brokers.join(',')}${address.prefix === undefined ? '' : `/${address.prefix}`}`;
}
