/** Which arm a problem is in. Whoever knows the experiment, the unit and the share draws the same. */
import { Random } from '@seamstream/kernel';
import type { Assignment } from './generated/events.generated.js';

/** The permanent experiment of the generator, whose unit is the problem. */
export const CONTROL_ARM = 'control arm';

/** Uniform over units, and for two experiments independent: their names are salts. */
export function isControl({ experiment, unit, controlShare }: Assignment): boolean {
  return Random.of(experiment, unit).float() < controlShare;
}

/** Begins the templates of executors that answer a conversation of a client, whose own settings decide how. */
const CONVERSATION = 'conversation@';

/** The template of an executor's identity where a client's conversation is asked, with the digest of how an entry stands in it. */
export function conversationTemplate(digest: string): string {
  return `${CONVERSATION}${digest}`;
}

/** Whether an executor's identity is of conversations: their decoding is their client's, and differs from request to request. */
export function isConversation({ template }: { readonly template: string }): boolean {
  return template.startsWith(CONVERSATION);
}
