/** Times that people write. */

/** Of another form, and without a zone, Date.parse takes times too: "t/0" is the year 2000, and "12:00" is where the process runs. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** In milliseconds since the Unix epoch; undefined for a word that is no time, and for one that no clock shows. */
export function isoTimeOf(word: string): number | undefined {
  const [, day, minute = '00:00', second = '00'] = ISO_TIME.exec(word) ?? [];
  const shown = `${day}T${minute}:${second}`;
  const read = new Date(`${shown}Z`);
  // Date.parse takes February 30 for March 2, and 24:00 for the next day.
  const isShown = !Number.isNaN(read.getTime()) && read.toISOString().startsWith(shown);
  return isShown ? Date.parse(word) : undefined;
}
