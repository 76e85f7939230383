import { type LogAddress, parseLogAddress, showLogAddress } from './log-address.js';

const parse = (text: string): LogAddress => parseLogAddress('--to', text);

describe('the address of a log', () => {
  it('names a folder, or the brokers of a cluster with an optional prefix', () => {
    expect(parse('lmdb:data/log')).toEqual({ driver: 'lmdb', folder: 'data/log' });
    expect(parse('lmdb:/srv/with space/log')).toEqual({ driver: 'lmdb', folder: '/srv/with space/log' });
    expect(parse('kafka://k1:9092,k2.example.org:19092')).toEqual({
      driver: 'kafka',
      brokers: ['k1:9092', 'k2.example.org:19092'],
      prefix: undefined,
    });
    expect(parse('kafka://k1:9092/team-a.')).toMatchObject({ brokers: ['k1:9092'], prefix: 'team-a.' });
  });

  it.each(['lmdb:data/log', 'kafka://k1:9092,k2:9093', 'kafka://k1:9092/team-a.'])('is shown as typed: %s', (text) => {
    expect(showLogAddress(parse(text))).toBe(text);
  });

  it.each([
    ['data/log', 'expected lmdb:FOLDER'],
    ['', 'expected lmdb:FOLDER'],
    ['lmdb:', 'the folder of the log'],
    ['lmdb://data/log', 'the folder of the log'],
    ['kafka:k1:9092', 'expected lmdb:FOLDER'],
    ['kafka://', 'brokers as host:port'],
    ['kafka://k1', 'brokers as host:port'],
    ['kafka://k1:0', 'brokers as host:port'],
    ['kafka://k1:99999', 'brokers as host:port'],
    ['kafka://k1:9092,', 'brokers as host:port'],
    ['kafka://k1:9092/a b', 'a prefix of the letters'],
    ['http://k1:9092', 'expected lmdb:FOLDER'],
  ])('refuses %j', (text, expected) => {
    expect(() => parse(text)).toThrow(expected);
  });

  it('does not repeat a password', () => {
    expect(() => parse('kafka://ada:secret@k1:9092')).toThrow(/without credentials.*got "kafka:\/\/…@k1:9092"/);
  });
});
