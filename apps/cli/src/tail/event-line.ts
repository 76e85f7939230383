/** One readable line per event: who it is about, what happened, the telling detail. Pure. */

import type { SeamEvent } from '@seamstream/events';
import { onOneLine } from '@seamstream/kernel';
import type { DecodedRecord } from '@seamstream/log-reader';
import { eventSummary, hexExcerpt } from '@seamstream/operations/tail';
import type { Style } from '../terminal/style.js';

/** Longest event name, so that what follows is in one column. */
const NAME_WIDTH = 'TrainingRunCheckpointed'.length;

type Colour = (style: Style) => (text: string) => string;

function colourOf(event: SeamEvent): Colour {
  switch (event.type) {
    case 'OutcomeRecorded':
      return (style) => (event.success ? style.green : style.dim);
    case 'ExecutionFailed':
    case 'TrainingRunFailed':
    case 'DeadLettered':
      return (style) => style.red;
    case 'ProblemExpired':
    case 'AttemptUngraded':
    case 'FeedbackRefused':
    case 'SuccessRejected':
    case 'ResultRefused':
    case 'TrainingRunRejected':
    case 'TrainingRunCancelled':
    case 'SelfTrainingStopped':
    case 'SelfTrainingPaused':
    case 'AdapterRolledBack':
    case 'AdapterPinned':
    case 'ApiKeyRevoked':
      return (style) => style.yellow;
    case 'AdapterPromoted':
    case 'SuccessAdmitted':
      return (style) => style.green;
    default:
      return (style) => style.cyan;
  }
}

const shortTopic = (topic: string): string => onOneLine(topic.replace(/^seam\./, ''));

/**
 * `08:15:30.123  2/41  OutcomeRecorded  4f3a90c1 explore 2/4 solved: …`
 * @param among topics that are shown together; of several the place names which
 */
export function renderRecord(decoded: DecodedRecord, style: Style, among: readonly string[] = []): string {
  const { record } = decoded;
  const time = new Date(record.timestampMs).toISOString().slice(11, 23);
  const names = among.map(shortTopic);
  const within = `${record.partition}/${record.offset}`.padStart(7);
  const width = Math.max(...names.map(({ length }) => length));
  const place = names.length < 2 ? within : `${shortTopic(record.topic).padEnd(width)} ${within}`;
  const head = `${style.dim(time)} ${style.dim(place)}`;
  if ('fault' in decoded) {
    return `${head}  ${style.red(decoded.fault.code.padEnd(NAME_WIDTH))}  ${hexExcerpt(record.value)}\n`;
  }
  const { event } = decoded;
  return `${head}  ${colourOf(event)(style)(event.type.padEnd(NAME_WIDTH))}  ${eventSummary(event)}\n`;
}
