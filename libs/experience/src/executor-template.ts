/**
 * An executor's template is a folder: with-experience.txt ({problem}, {entry}), without-experience.txt ({problem}),
 * wrapper-only.txt ({problem}), and where wanted system.txt and template.json, which says where the answers stand that the texts ask for.
 */
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, SeamError, sha256 } from '@seamstream/kernel';
import { ANSWER_FORMS, type AnswerForm } from './answer-form.js';
import { asData } from './plain-data.js';
import { PromptTemplate } from './prompt-template.js';
import { headingsIn, withoutHeadings } from './slot.js';
import { domainNames, isDomainFile, loadTaskDomain, templateOfDomain } from './task-domain.js';

/** This library's own templates. */
export const TEMPLATES = new URL('../templates/', import.meta.url);

/** What the shipped models were trained on. */
export const PLAIN = 'plain';

export interface ExecutorTemplate {
  /** Name and digest of everything in it. */
  readonly identity: string;
  readonly withEntry: PromptTemplate<'problem' | 'entry'>;
  readonly without: PromptTemplate<'problem'>;
  readonly wrapperOnly: PromptTemplate<'problem'>;
  readonly system: string | null;
  readonly answer: AnswerForm;
  /** Makes text from outside safe for these texts: breaks their own tags too, and quotes their headings. */
  readonly data: (text: string) => string;
}

/** Where templates of executors are looked for, in this order. @param own the folder of a user's templates */
export function templateFolders(own: string | undefined): readonly URL[] {
  return [...(own === undefined ? [] : [pathToFileURL(`${resolve(own)}/`)]), new URL('executors/', TEMPLATES)];
}

/** A template's files, and what its identity calls it. */
export interface TemplateFiles {
  readonly name: string;
  /** By file name. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * The files of a template: of a subfolder of that name, or the prompts of a domain (task-domain.ts) of that name or file.
 * @param folders searched in this order. @throws INVALID_CONFIGURATION
 */
export async function executorTemplateFiles(name: string, folders: readonly URL[]): Promise<TemplateFiles> {
  if (isDomainFile(name)) return domainFiles(name, folders);
  const listed = await Promise.all(folders.map(templatesIn));
  const at = listed.findIndex((names) => names.includes(name));
  const domains = await domainNames();
  if (at < 0 && domains.includes(name)) return domainFiles(name, folders);
  if (at < 0) {
    const known = [...new Set([...listed.flat(), ...domains])].sort().join(', ') || 'none';
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot load the executor's template ${JSON.stringify(name)}: expected one of ${known}. Choose one of them, or add a subfolder of this name to the configured folder of templates.`,
    );
  }
  const folder = new URL(`${encodeURIComponent(name)}/`, folders[at]);
  const files = (await readdir(folder)).filter((file) => /\.(?:txt|json)$/.test(file)).sort();
  const read = files.map(
    async (file) => [file, await readFile(new URL(encodeURIComponent(file), folder), 'utf8')] as const,
  );
  return { name, texts: new Map(await Promise.all(read)) };
}

async function domainFiles(name: string, folders: readonly URL[]): Promise<TemplateFiles> {
  const domain = await loadTaskDomain(name);
  const template = templateOfDomain(domain);
  if (typeof template !== 'string') return { name: domain.name ?? 'domain', texts: template };
  // Of a file that names a file there may be no end.
  if (isDomainFile(template))
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot load domain ${name}: expected texts or the name of a template in prompts, got ${JSON.stringify(template)}. Correct the file.`,
    );
  return executorTemplateFiles(template, folders);
}

/** @param folders as {@link executorTemplateFiles}. @throws INVALID_CONFIGURATION */
export async function loadExecutorTemplate(given: string, folders: readonly URL[]): Promise<ExecutorTemplate> {
  const { name, texts: files } = await executorTemplateFiles(given, folders);
  const template = <P extends string>(file: string, placeholders: readonly P[]): PromptTemplate<P> =>
    PromptTemplate.parse(file, textOf(name, files, `${file}.txt`), placeholders);
  const system = files.has('system.txt') ? template('system', []) : null;
  const withEntry = template('with-experience', ['problem', 'entry'] as const);
  const without = template('without-experience', ['problem'] as const);
  const wrapperOnly = template('wrapper-only', ['problem'] as const);
  const form = files.get('template.json');
  const answer = form === undefined ? 'stated' : readAnswerForm(name, form);
  const parts = [
    ...[withEntry, without, wrapperOnly].map(({ digest }) => digest),
    ...(system === null ? [] : [`system:${system.digest}`]),
    ...(answer === 'stated' ? [] : [`answer:${answer}`]),
  ];
  const texts = [withEntry, without, wrapperOnly].map(({ text }) => text);
  const [tags, headings] = [tagsIn(texts), headingsIn(texts)];
  const withoutTags = (text: string): string => (tags === null ? text : text.replaceAll(tags, '< '));
  return {
    // The plain one's name is older than the others.
    identity: `${name === PLAIN ? 'executor' : `executor/${name}`}@${sha256(parts.join())}`,
    withEntry,
    without,
    wrapperOnly,
    system: system?.text ?? null,
    answer,
    data: (text) => withoutHeadings(withoutTags(asData(text)), headings),
  };
}

async function templatesIn(folder: URL): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (cause) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot look for executors' templates: expected a folder at ${folder.pathname}, got: ${messageOf(cause)}. Correct the setting.`,
      { cause },
    );
  }
}

function textOf(name: string, files: TemplateFiles['texts'], file: string): string {
  const text = files.get(file);
  if (text !== undefined) return text;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot load the executor's template ${name}: expected a text file ${file}, got none. Add it.`,
  );
}

function readAnswerForm(name: string, text: string): AnswerForm {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    value = messageOf(cause);
  }
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const form = ANSWER_FORMS.find((each) => fields.length === 1 && fields[0]![0] === 'answer' && fields[0]![1] === each);
  if (form === undefined) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot load the executor's template ${name}: expected template.json to be {"answer": …} with one of ${ANSWER_FORMS.join(', ')}, got ${JSON.stringify(value).slice(0, 200)}. Correct the file.`,
    );
  }
  return form;
}

/** Finds where the tags begin that the texts are divided by, in any case of letters and with blanks behind the name; null where there are none. */
function tagsIn(texts: readonly string[]): RegExp | null {
  const names = new Set(texts.flatMap((text) => [...text.matchAll(/<\/?([a-z][a-z_]*)>/g)].map((match) => match[1])));
  return names.size === 0 ? null : new RegExp(`<(?=/?(?:${[...names].join('|')})\\b)`, 'gi');
}
