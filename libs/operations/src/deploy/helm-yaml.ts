/** YAML as Helm reads it, which is version 1.1: yes and on are true, a leading 0 is octal, and << merges. */
import { parse, type Tags } from 'yaml';

/** What is read as text: Helm's reader has neither times nor numbers to base 60. */
const TEXTS = ['tag:yaml.org,2002:timestamp'];

/** @throws for what is no YAML */
export function parseAsHelm(text: string): unknown {
  const customTags = (tags: Tags): Tags => [
    ...tags.filter((tag) => typeof tag === 'string' || !(TEXTS.includes(tag.tag) || tag.format === 'TIME')),
    'intOct',
  ];
  return parse(text, { version: '1.1', customTags });
}
