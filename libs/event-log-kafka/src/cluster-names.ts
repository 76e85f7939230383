import type { LogRecord, RecordPosition } from '@seamstream/event-log';

/** Names of topics, groups and transactional ids: the cluster's carry the log's prefix, callers' do not. */
export class ClusterNames {
  constructor(readonly prefix: string) {}

  physical(name: string): string {
    return this.prefix + name;
  }

  logical(name: string): string {
    return name.slice(this.prefix.length);
  }

  readonly toLogical = (record: LogRecord): LogRecord =>
    this.prefix === '' ? record : { ...record, topic: this.logical(record.topic) };

  logicalPositions(positions: readonly RecordPosition[]): readonly RecordPosition[] {
    return positions.map((position) => ({ ...position, topic: this.logical(position.topic) }));
  }
}
