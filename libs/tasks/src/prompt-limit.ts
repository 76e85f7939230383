/**
 * Most characters (UTF-16 units) of a prompt that is tokenized: tokenizing keeps the event loop, up to 0.6 s for as many of the
 * worst piece. English takes some 30,000 tokens for them. A problem with a longer prompt is refused where it is published.
 */
export const MOST_PROMPT_CHARACTERS = 131_072;
