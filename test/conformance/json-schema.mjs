// How much of JSON Schema the grammars hold: published suites, group by group and instance by instance.
//
//   npm run conformance:json-schema -- [--json] [--every N] FOLDER…
//
// A folder is JSON-Schema-Test-Suite's tests/draft2020-12 (files of groups) or MaskBench's data (a schema, or a schema and its instances, per file);
// subfolders are read too. Instances are written compact, properties in an order that the grammar takes, a number that is the
// whole value with a line feed behind it; every order is tried. Printed: schemas compiled, instances accepted, why others are refused.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { JsonRules } from '../../libs/token-grammar/dist/json-rules.js';
import { keyOf, Pushdown } from '../../libs/token-grammar/dist/pushdown.js';
import { SchemaResources } from '../../libs/token-grammar/dist/schema-resources.js';
import { SchemaShapes } from '../../libs/token-grammar/dist/schema-shape.js';

/** These instances say that a format asserts nothing; optional/format judges the same formats as they are held here. */
const ANNOTATION_ONLY = /is only an annotation by default/;
/** Orders of properties that are tried before an instance counts as undecided. */
const MAX_TRIES = 3_000;
const BYTES = new Array(256).fill(true);

const flags = process.argv.slice(2);
const isJson = flags.includes('--json');
const every = flags.includes('--every') ? Number(flags[flags.indexOf('--every') + 1]) : 1;
const folders = flags.filter((flag, at) => !flag.startsWith('--') && flags[at - 1] !== '--every');

function* cases(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* cases(path);
    else if (entry.name.endsWith('.json')) {
      let content;
      let spelled;
      try {
        const text = readFileSync(path, 'utf8');
        content = JSON.parse(text);
        spelled = readSpelled(text);
      } catch {
        yield { name: basename(path), unreadable: true };
        continue;
      }
      // A file that is not a list of groups is a schema alone, or a schema with its instances.
      const groups = Array.isArray(content) ? content : [Array.isArray(content.tests) ? content : { schema: content }];
      for (const [index, { schema, tests, description }] of groups.entries())
        yield {
          name: `${basename(path)} ${index} ${description ?? ''}`,
          file: path,
          schema,
          tests: (tests ?? []).map((test, at) => ({ ...test, spelled: spelled[index].tests[at].data })),
        };
    }
  }
}

/** A file's JSON, with each number of an instance as it is spelled there: a grammar judges texts, and 12345.0 is another text than 12345. */
function readSpelled(text) {
  const spelled = JSON.parse(text, (_, value, { source }) =>
    typeof value === 'number' ? JSON.rawJSON(source) : value,
  );
  return Array.isArray(spelled) ? spelled : [spelled];
}

/** Lists of declared properties anywhere in a schema, in the order of their declaration. */
function* declarations(schema) {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties } = schema;
  if (typeof properties === 'object' && properties !== null) yield Object.keys(properties);
  for (const inner of Object.values(schema)) yield* declarations(inner);
}

/** The names of an object, in the order of the declaration that has most of them; what is not declared comes last. */
function inOrder(names, declared) {
  const has = new Set(names);
  let most = [];
  for (const list of declared) {
    const known = list.filter((name) => has.has(name));
    if (known.length > most.length) most = known;
  }
  const first = new Set(most);
  return [...most, ...names.filter((name) => !first.has(name))];
}

/** Whether some order of properties makes a text of the value that the rules accept; undefined where too many would have to be tried. */
export function accepts(rules, value, declared) {
  const bytes = new Pushdown(BYTES);
  let tries = 0;
  const write = (positions, text) => {
    let at = positions;
    for (const byte of new TextEncoder().encode(text)) {
      at = bytes.step(at, byte);
      if (at.length === 0) return undefined;
    }
    return at;
  };
  const failed = new Set();
  const objects = new Map();
  const idOf = (object) => objects.get(object) ?? (objects.set(object, objects.size), objects.size - 1);
  /** Writes a value and continues; true where some way leads to the end. `rest` says what is left to be written behind it. */
  const run = (inner, positions, rest, next) => {
    if (++tries > MAX_TRIES) return false;
    if (Array.isArray(inner)) {
      const items = (at, index) => {
        if (index === inner.length) {
          const closed = write(at, ']');
          return closed !== undefined && next(closed);
        }
        const begun = index === 0 ? at : write(at, ',');
        const behind = `${idOf(inner)}:${index} ${rest}`;
        return begun !== undefined && run(inner[index], begun, behind, (after) => items(after, index + 1));
      };
      const opened = write(positions, '[');
      return opened !== undefined && items(opened, 0);
    }
    if (typeof inner === 'object' && inner !== null && !JSON.isRawJSON(inner)) {
      const all = inOrder(Object.keys(inner), declared);
      const properties = (at, left) => {
        if (left.length === 0) {
          const closed = write(at, '}');
          return closed !== undefined && next(closed);
        }
        const behind = `${idOf(inner)}:${JSON.stringify(left)} ${rest}`;
        const key = `${behind}\n${at.map(keyOf).sort().join(' ')}`;
        if (failed.has(key)) return false;
        for (const name of left) {
          const begun = write(at, `${left.length === all.length ? '' : ','}${JSON.stringify(name)}:`);
          if (begun === undefined) continue;
          const others = left.filter((each) => each !== name);
          if (run(inner[name], begun, `${name} ${behind}`, (after) => properties(after, others))) return true;
        }
        failed.add(key);
        return false;
      };
      const opened = write(positions, '{');
      return opened !== undefined && properties(opened, all);
    }
    const written = write(positions, JSON.stringify(inner));
    return written !== undefined && next(written);
  };
  const isAccepted = run(value, bytes.enter(rules.start, null), '', (after) => {
    const isEnd = (at) => at !== undefined && at.some(({ kind }) => kind === 'end');
    return isEnd(after) || isEnd(write(after, '\n'));
  });
  return isAccepted || tries <= MAX_TRIES ? isAccepted : undefined;
}

const percent = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;
const quantile = (values, share) => values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

const reports = [];
for (const folder of folders) {
  const report = {
    folder,
    schemas: 0,
    unreadable: 0,
    compiled: 0,
    refused: {},
    crashed: [],
    valid: { all: 0, accepted: 0 },
    invalid: { all: 0, accepted: 0 },
    undecided: 0,
    wrong: [],
    compileMs: {},
  };
  const times = [];
  let index = 0;
  for (const { name, schema, tests, unreadable } of cases(folder)) {
    if (index++ % every !== 0) continue;
    if (unreadable) {
      report.unreadable++;
      continue;
    }
    report.schemas++;
    let rules;
    const begun = performance.now();
    try {
      rules = new JsonRules(new SchemaShapes(new SchemaResources(schema)), 'json', BYTES);
      times.push(performance.now() - begun);
    } catch (error) {
      if (error.code === 'UNSUPPORTED_JSON_SCHEMA')
        report.refused[error.details.keyword] = (report.refused[error.details.keyword] ?? 0) + 1;
      else report.crashed.push(`${name}: ${error.stack}`);
      continue;
    }
    report.compiled++;
    const declared = [...declarations(schema)];
    for (const { data, spelled, valid, description } of tests) {
      if (ANNOTATION_ONLY.test(description ?? '')) continue;
      const kind = valid ? report.valid : report.invalid;
      // A valid instance may be spelled as we would: 1.0 is 1. One that is not valid is judged as it is spelled.
      const isAccepted = (valid && accepts(rules, data, declared)) || accepts(rules, spelled, declared);
      if (isAccepted === undefined) {
        report.undecided++;
        continue;
      }
      kind.all++;
      if (isAccepted) kind.accepted++;
      if (isAccepted !== valid)
        report.wrong.push(
          `${valid ? 'not accepted' : 'ACCEPTED'}: ${name}: ${description ?? ''} ${JSON.stringify(data).slice(0, 200)}`,
        );
    }
  }
  times.sort((a, b) => a - b);
  report.compileMs = { p50: quantile(times, 0.5), p99: quantile(times, 0.99), most: times.at(-1) ?? 0 };
  reports.push(report);
}

if (isJson) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
else {
  for (const {
    folder,
    schemas,
    compiled,
    refused,
    crashed,
    valid,
    invalid,
    undecided,
    compileMs,
    unreadable,
  } of reports) {
    const reasons = Object.entries(refused)
      .sort((a, b) => b[1] - a[1])
      .map(([keyword, count]) => `${keyword || '(schema)'} ${count}`);
    process.stdout.write(
      `${folder}\n  compiled   ${compiled} of ${schemas} (${percent(compiled, schemas)}), ${compileMs.p50.toFixed(1)} ms at the median, ${compileMs.p99.toFixed(0)} ms at p99\n` +
        `  valid      ${valid.accepted} of ${valid.all} accepted (${percent(valid.accepted, valid.all)})\n` +
        `  invalid    ${invalid.accepted} of ${invalid.all} accepted; undecided ${undecided}; crashed ${crashed.length}; files that are not JSON ${unreadable}\n` +
        `  refused    ${reasons.join(', ')}\n`,
    );
  }
}
process.exitCode = reports.some(({ invalid, crashed }) => invalid.accepted > 0 || crashed.length > 0) ? 1 : 0;
