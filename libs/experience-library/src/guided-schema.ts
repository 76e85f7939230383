/**
 * How a library acts: it narrows what an entry may say. An entry under the narrowed schema is valid under the whole one, so that it is an
 * experience like any other.
 *
 *   a list of texts in the schema     items that are among them stay, and of the others those that an item does not compete with. Texts
 *   (`enum`)                          compete where they quote the same of the problem; without quotes all of a list compete.
 *   free texts                        the items are the texts: each an element of a list, or all of them in one text. Hidden characters
 *                                     and spellings of control tokens are broken in them, as in any text from outside.
 *
 * What is in a place where nothing of the library fits is left to the generator.
 */
import { asData, ENTRY_FIELDS, type QuoteRules, quoteRulesOf, quotesIn } from '@seamstream/experience';
import type { JsonSchema } from '@seamstream/token-grammar';
import type { ExperienceLibrary, LibraryItem } from './library.js';
import { retrieved } from './retrieval.js';
import { tidy } from './says-nothing.js';

export interface GuidanceSettings {
  /** Most tokens of free text that items are written as. */
  readonly mostTokens: number;
  /** The generator's. */
  readonly tokenizer: { readonly digest: string; encode(text: string): readonly number[] };
}

type Guide = Pick<ExperienceLibrary, 'items' | 'mostRetrieved'>;

type Fields = Readonly<Record<string, unknown>>;

const MOST_KEPT = 256;
const kept = new WeakMap<Guide['items'], Map<string, WeakMap<JsonSchema, JsonSchema>>>();

/** The field that texts of no field are written into. */
const GENERAL_FIELD = ENTRY_FIELDS[1];

/**
 * The schema that entries for a problem are written under with this library; the same object for the same items and schema.
 * @param schema of the problem's domain, with its annotations
 */
export function guidedSchema(
  schema: JsonSchema,
  { items, mostRetrieved }: Guide,
  problem: { readonly domain: string; readonly prompt: string },
  settings: GuidanceSettings,
): JsonSchema {
  const own = retrieved(items, problem, mostRetrieved);
  if (own.length === 0) return schema;
  const bySelection = kept.get(items) ?? new Map<string, WeakMap<JsonSchema, JsonSchema>>();
  kept.set(items, bySelection);
  const key = JSON.stringify([settings.mostTokens, settings.tokenizer.digest, own.map(({ id }) => id)]);
  let bySchema = bySelection.get(key);
  if (bySchema === undefined) {
    if (bySelection.size >= MOST_KEPT) bySelection.clear();
    bySelection.set(key, (bySchema = new WeakMap()));
  }
  let guided = bySchema.get(schema);
  if (guided === undefined) bySchema.set(schema, (guided = narrowed(schema, own, settings)));
  return guided;
}

function narrowed(schema: JsonSchema, items: readonly LibraryItem[], settings: GuidanceSettings): JsonSchema {
  const properties = schema.properties as Fields | undefined;
  if (properties === undefined) return schema;
  const names = Object.keys(properties);
  const general = names.includes(GENERAL_FIELD) ? GENERAL_FIELD : names[0];
  const rules = quoteRulesOf(schema)?.properties;
  const room = new Room(settings);
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const forField = items.filter((item) => item.field === name);
        const forAny = items.filter((item) => item.field === null);
        const rule = rules?.get(name);
        return [
          name,
          guidedField(field as Fields, {
            rule,
            listed: [...forField, ...forAny].map(({ text }) => text),
            written: items
              .filter((item) => item.field === name || (item.field === null && name === general))
              .map(({ text }) => tidy(asData(text)))
              .filter((text) => text !== ''),
            room,
          }),
        ];
      }),
    ),
  };
}

interface FieldGuide {
  readonly rule: QuoteRules | undefined;
  /** Texts that may be among those that the schema lists. */
  readonly listed: readonly string[];
  /** Texts to write where the schema asks for free text. */
  readonly written: readonly string[];
  readonly room: Room;
}

/** What is left of the tokens for free text. */
class Room {
  private left: number;

  constructor(private readonly settings: GuidanceSettings) {
    this.left = settings.mostTokens;
  }

  /** Tokens that would be left, negative where the text does not fit. */
  after(text: string): number {
    return this.left - this.settings.tokenizer.encode(text).length;
  }

  take(text: string): void {
    this.left = this.after(text);
  }
}

function guidedField(field: Fields, guide: FieldGuide): Fields {
  if (isListOf(field)) {
    const items = field.items;
    if (Array.isArray(items.enum)) return { ...field, items: guidedTexts(items, guide.listed, guide.rule?.items) };
    return guide.rule === undefined && isFreeText(items) ? writtenList(field, items, guide) : field;
  }
  if (Array.isArray(field.enum)) return guidedTexts(field, guide.listed, guide.rule);
  return guide.rule === undefined && isFreeText(field) ? writtenText(field, guide) : field;
}

function guidedTexts(field: Fields, listed: readonly string[], rules: QuoteRules | undefined): Fields {
  const texts = field.enum as readonly unknown[];
  const rule = rules?.rule;
  const aboutWhat = (text: unknown): string =>
    rule === undefined || typeof text !== 'string' ? '' : JSON.stringify(quotesIn(text, rule) ?? []);
  const chosen = new Set(listed);
  const decided = new Set(texts.filter((text) => chosen.has(text as string)).map(aboutWhat));
  const left = texts.filter((text) => chosen.has(text as string) || !decided.has(aboutWhat(text)));
  return decided.size === 0 ? field : { ...field, enum: left };
}

/** The items as the whole list; the field as it was where none fits. */
function writtenList(field: Fields, element: Fields, { written, room }: FieldGuide): Fields {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = field as { minItems?: number; maxItems?: number };
  const texts: string[] = [];
  for (const text of written) {
    if (texts.length >= maxItems || !isWithin(text, element) || room.after(text) < 0) continue;
    room.take(text);
    texts.push(text);
  }
  if (texts.length === 0 || texts.length < minItems) return field;
  const others = Object.fromEntries(Object.entries(field).filter(([keyword]) => keyword !== 'items'));
  const prefixItems = texts.map((text) => ({ const: text }));
  return { ...others, prefixItems, items: false, minItems: texts.length, maxItems: texts.length };
}

/** The items in one text: on lines where a pattern takes line breaks, which an entry has in no other text. */
function writtenText(field: Fields, { written, room }: FieldGuide): Fields {
  const linesBy = (between: string): readonly string[] => {
    const lines: string[] = [];
    for (const text of written) {
      const longer = [...lines, `- ${text}`].join(between);
      if (room.after(longer) < 0 || !isWithin(longer, { ...field, minLength: 0 })) continue;
      lines.push(`- ${text}`);
    }
    return lines;
  };
  const [inOne, onLines] = [linesBy(' '), typeof field.pattern === 'string' ? linesBy('\n') : []];
  const lines = onLines.length < inOne.length ? inOne : onLines;
  const whole = lines.join(lines === inOne ? ' ' : '\n');
  if (lines.length === 0 || !isWithin(whole, field)) return field;
  room.take(whole);
  return typeof field.pattern === 'string' ? { const: whole, pattern: field.pattern } : { const: whole };
}

function isWithin(text: string, { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern }: Fields): boolean {
  const length = Array.from(text).length;
  if (length < (minLength as number) || length > (maxLength as number)) return false;
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text);
}

function isListOf(field: Fields): field is Fields & { readonly items: Fields } {
  return (
    field.type === 'array' && typeof field.items === 'object' && field.items !== null && field.prefixItems === undefined
  );
}

function isFreeText(field: Fields): boolean {
  return field.type === 'string' && field.enum === undefined && field.const === undefined;
}
