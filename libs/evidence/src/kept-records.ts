/** Records as they are remembered until a result asks for them: their bytes, and what has been read of these. */
import type { LogRecord } from '@seamstream/event-log';
import {
  contentDigest,
  decodeEvent,
  type EncodedPart,
  type EncodedRecord,
  type EventOf,
  type EventWindow,
  eventWindow,
  groupIdOf,
  type SeamEvent,
} from '@seamstream/events';
import { isExperience, type WrittenOrWithheld } from './doubt.decide.js';
import type { Held } from './memory.js';

export interface Kept extends Held {
  readonly offset: number;
  /** The id of the problem that it is about. */
  readonly key: string | null;
  /** The experience's own id, or the id of the problem's event; undefined for everything else, and for unusable records. */
  readonly id: string | undefined;
  /** Whether the whole log before it was searched for another one of its id. */
  isFirst: boolean;
}

/**
 * What it takes to remember a record, besides its key and value and the texts of a problem: records, arrays, places in two maps, views.
 * Measured with a million of them: `npm run bench:evidence-memory`.
 */
const EXPERIENCE_BYTES = 560;
const PROBLEM_BYTES = 1_000;
/** No honest record has a longer id; one that has is read again where it is asked for. */
const MAX_ID_CHARACTERS = 256;

/** Shows experiences and problems, one of each at a time, and where in them stands what results rest on. */
export class Windows {
  readonly experience = eventWindow('ExperienceGenerated');
  readonly problem = eventWindow('ProblemPublished');
  readonly experienceId = this.experience.layout.leaf('experienceId');
  readonly attemptId = this.experience.layout.leaf('attemptId');
  readonly experienceMeta = leavesOfMeta(this.experience);
  readonly problemMeta = leavesOfMeta(this.problem);
  readonly problemId = this.problem.layout.leaf('problem.problemId');
  readonly mode = this.problem.layout.leaf('mode');
  /** Where the problem is in its own event, and in an experience. */
  readonly inProblem = leavesOfProblem(this.problem);
  readonly inExperience = leavesOfProblem(this.experience);
}

interface MetaLeaves {
  readonly messageId: number;
  readonly causationId: number;
  readonly correlationId: number;
  readonly subject: number;
  readonly tenant: number;
}

function leavesOfMeta({ layout }: EventWindow): MetaLeaves {
  const leaf = (name: string): number => layout.leaf(`meta.${name}`);
  return {
    messageId: leaf('messageId'),
    causationId: leaf('causationId'),
    correlationId: leaf('correlationId'),
    subject: leaf('subject'),
    tenant: leaf('tenant'),
  };
}

/** The fields of a problem in their order, by their first leaves, and the leaf behind them. */
interface ProblemLeaves {
  readonly from: number;
  readonly prompt: number;
  readonly reference: number;
  readonly verifier: number;
  readonly to: number;
}

function leavesOfProblem({ layout }: EventWindow): ProblemLeaves {
  const leaf = (name: string): number => layout.leaf(`problem.${name}`);
  return {
    from: layout.leaf('problem'),
    prompt: leaf('prompt'),
    reference: leaf('reference'),
    verifier: leaf('verifier'),
    to: layout.leafAfter('problem'),
  };
}

/** A published problem in its bytes: all of it, and what begins with its prompt and its verifier. */
interface EncodedProblem {
  readonly whole: EncodedPart;
  readonly prompt: EncodedPart;
  readonly verifier: EncodedPart;
}

/**
 * Experiences are large and many, and the key says what they are about: one is looked at when it is asked for, and what it says is
 * compared where it stands. Nothing of an honest one is decoded.
 */
export class KeptExperience implements Kept {
  readonly entryBytes = EXPERIENCE_BYTES;
  isFirst = false;
  /** No window shows it: it has to be decoded, which is not remembered. */
  private isOpaque = false;
  /** Null until it is asked for. */
  private knownId: string | undefined | null = null;

  constructor(
    readonly record: LogRecord,
    private readonly windows: Windows,
  ) {}

  get offset(): number {
    return this.record.offset;
  }

  get value(): Uint8Array | null {
    return this.record.value;
  }

  get key(): string | null {
    return this.record.key;
  }

  get id(): string | undefined {
    if (this.knownId !== null) return this.knownId;
    const { experience, experienceId } = this.windows;
    const id = this.isShown() ? experience.textOf(experienceId)! : this.event?.experienceId;
    if (id === undefined || id.length <= MAX_ID_CHARACTERS) this.knownId = id;
    return id;
  }

  /** Whether it has this id. One that is asked for is mostly its own, and then need not be read. */
  has(id: string): boolean {
    const { experience, experienceId } = this.windows;
    if (this.knownId === null && this.isShown() && experience.says(experienceId, id)) return true;
    return this.id === id;
  }

  /** Whether the window shows it, from now on until it shows another one. */
  isShown(): boolean {
    const { value } = this.record;
    const { experience } = this.windows;
    if (value === null || this.isOpaque) return false;
    if (experience.shows(value)) return true;
    this.isOpaque = !experience.open(value);
    return !this.isOpaque;
  }

  /** The event of the problem that it says to follow from; undefined for what is no experience. */
  get causationId(): string | null | undefined {
    const { experience, experienceMeta } = this.windows;
    return this.isShown() ? experience.textOf(experienceMeta.causationId) : this.event?.meta.causationId;
  }

  /** Decoded each time: it takes several times its bytes, and few are asked for. */
  get event(): WrittenOrWithheld | undefined {
    const event = decodedOf(this.record);
    return event !== undefined && isExperience(event) ? event : undefined;
  }
}

/** What is compared of a published problem with what is made from it. */
interface Published {
  readonly problemId: string;
  readonly eventId: string;
  readonly correlationId: string;
  readonly subject: string | null;
  readonly tenant: string | null;
  readonly mode: string;
}

/**
 * Problems are looked at when they are read, since another client may choose their keys freely. They are remembered for
 * long, since a problem has many results: as bytes, and a few texts.
 */
export class KeptProblem implements Kept {
  readonly entryBytes: number;
  isFirst = false;
  readonly id: string | undefined;
  readonly key: string | null;
  readonly published: Published | undefined;
  /** The problem itself in the bytes; undefined where a window does not show it. */
  readonly encodedProblem: EncodedProblem | undefined;
  private knownContentDigest: string | undefined;
  private knownGroupId: string | undefined;

  constructor(
    readonly record: LogRecord,
    windows: Windows,
  ) {
    const { value } = record;
    if (value !== null && windows.problem.open(value)) {
      const { problem, problemMeta, problemId, mode, inProblem } = windows;
      this.published = {
        problemId: problem.textOf(problemId)!,
        eventId: problem.textOf(problemMeta.messageId)!,
        correlationId: problem.textOf(problemMeta.correlationId)!,
        subject: problem.textOf(problemMeta.subject),
        tenant: problem.textOf(problemMeta.tenant),
        mode: problem.textOf(mode)!,
      };
      this.encodedProblem = {
        whole: problem.from(inProblem.from),
        prompt: problem.from(inProblem.prompt),
        verifier: problem.from(inProblem.verifier),
      };
    } else {
      const { event } = this;
      this.published = event && {
        problemId: event.problem.problemId,
        eventId: event.meta.messageId,
        correlationId: event.meta.correlationId,
        subject: event.meta.subject,
        tenant: event.meta.tenant,
        mode: event.mode,
      };
      this.encodedProblem = undefined;
    }
    this.id = this.published?.eventId;
    this.key = this.published?.problemId ?? record.key;
    const { eventId = '', correlationId = '', subject = '', tenant = '' } = this.published ?? {};
    // UTF-16, and the key of the record, which may be another than the problem's.
    const texts = [eventId, correlationId, subject, tenant, record.key];
    const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    this.entryBytes = PROBLEM_BYTES + 2 * characters;
  }

  get offset(): number {
    return this.record.offset;
  }

  get value(): Uint8Array | null {
    return this.record.value;
  }

  /** The group that the problem asks for. */
  get groupId(): string {
    this.knownGroupId ??= groupIdOf(this.published!.eventId);
    return this.knownGroupId;
  }

  /** Of a problem that is one: by it experiences and results name large content. */
  get contentDigest(): string {
    this.knownContentDigest ??= contentDigest(this.event!.problem);
    return this.knownContentDigest;
  }

  /** Decoded each time: it takes several times its bytes, and few are asked for. */
  get event(): EventOf<'ProblemPublished'> | undefined {
    const event = decodedOf(this.record);
    return event?.type === 'ProblemPublished' ? event : undefined;
  }
}

/** Undefined for an unusable record: its consumer sent it to the dead letters. */
export function decodedOf(record: EncodedRecord): SeamEvent | undefined {
  try {
    return decodeEvent(record);
  } catch {
    return undefined;
  }
}
