/** What an event answers, and who answers. */
import type { SeamEvent } from './generated/events.generated.js';

/** Whether a record is what an answer answers. */
export type Answers = (cause: SeamEvent) => boolean;

/** Whether the executor leaves a problem or an experience alone: a gateway answers its clients itself. */
export const isAnsweredElsewhere = ({ answeredBy }: { readonly answeredBy?: string | null | undefined }): boolean =>
  answeredBy !== null && answeredBy !== undefined;
