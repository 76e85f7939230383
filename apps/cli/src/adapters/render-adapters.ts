/** Adapters as a list, as a tree of parents, and one in full. Pure. */

import type { Evaluation } from '@seamstream/events';
import { count, excerpt, onOneLine, plural, shortId } from '@seamstream/kernel';
import { fingerprintText } from '@seamstream/operations/adapters';
import type { AdapterAct, AdapterLineage, AdapterStatus, AdapterVersion } from '@seamstream/read-models';
import { comparisonText } from '@seamstream/release';
import { judgeFacts } from '../evaluate/render-judges.js';
import type { Style } from '../terminal/style.js';
import { renderFacts, renderTable } from '../terminal/table.js';
import { bytes, percent, timeText } from '../terminal/text.js';

function statusText(status: AdapterStatus, style: Style): string {
  switch (status) {
    case 'served':
      return style.green('served');
    case 'rolledBack':
      return style.yellow('rolled back');
    case 'rejected':
      return style.yellow('rejected');
    case 'promoted':
    case 'published':
      return status;
  }
}

const ACTS: Readonly<Record<AdapterAct['act'], string>> = {
  evaluated: 'evaluated',
  promoted: 'promoted',
  rolledBack: 'rolled back',
  returned: 'served again',
  pinned: 'pinned',
  unpinned: 'unpinned',
};

/** What was measured, in a few words. */
export function evaluationText({ success, parentSuccess, problems, problemSet }: Evaluation): string {
  const parent = parentSuccess === null ? '' : `, parent ${percent(parentSuccess)}`;
  return `${percent(success)} of ${plural(problems, 'problem')} of ${excerpt(problemSet)}${parent}`;
}

/** Who, when, why, on which measurement, and why it had no effect where it had none. */
function actText({ act, by, at, reason, status, hindrance, evaluation }: AdapterAct): string {
  const measured = evaluation === null ? '' : evaluationText(evaluation);
  const why = act === 'evaluated' ? measured : `${excerpt(reason, 100)}${measured === '' ? '' : ` (${measured})`}`;
  const what = `by ${onOneLine(by)}, ${timeText(at)}: ${why}`;
  return status === 'counted' ? what : `${what} (no effect: ${excerpt(hindrance, 100)})`;
}

/** What is served, who decided so, and what holds it. */
function servedLines({ versions, served, servedBy, pin }: AdapterLineage, style: Style): string {
  const name =
    versions.length === 0
      ? 'No adapters yet: the base model is served.'
      : `Served: ${served === null ? 'the base model' : shortId(served)}`;
  const why = servedBy === null ? '' : `${ACTS[servedBy.act]} ${actText(servedBy)}\n`;
  const held =
    pin === null
      ? ''
      : `${style.yellow('Pinned')} by ${onOneLine(pin.by)}, ${timeText(pin.at)}: ${excerpt(pin.reason, 100)}\n`;
  return `${name}\n${why === '' ? '' : `  ${why}`}${held}`;
}

export function renderAdapterList(lineage: AdapterLineage, style: Style): string {
  const { versions, refused } = lineage;
  const forged = refused.map(
    ({ type, adapterDigest, source, messageId, reason }) =>
      `${style.red('Not believed')}: ${type} of ${adapterDigest === null ? 'the base model' : shortId(onOneLine(adapterDigest))} by ${onOneLine(source)} (${onOneLine(messageId)}): ${onOneLine(reason)}\n`,
  );
  if (versions.length === 0) return `${servedLines(lineage, style)}${forged.join('')}`;
  const table = renderTable(
    [
      { title: '#', align: 'right' },
      { title: 'ADAPTER' },
      { title: 'ALGORITHM' },
      { title: 'PARENT' },
      { title: 'STATUS' },
      { title: 'SUCCESS', align: 'right' },
      { title: 'PARENT', align: 'right' },
      { title: 'SIZE', align: 'right' },
      { title: 'PUBLISHED' },
    ],
    versions.map((version) => [
      String(version.version),
      shortId(version.adapterDigest),
      onOneLine(version.algorithm),
      version.parent === null ? 'base' : shortId(version.parent),
      statusText(version.status, style),
      percent(version.evaluation?.success),
      percent(version.evaluation?.parentSuccess),
      bytes(version.sizeBytes),
      timeText(version.publishedAt),
    ]),
    style,
  );
  return `${table}${servedLines(lineage, style)}${forged.join('')}`;
}

/** Children under their parents, the base model at the root. A parent that the log does not know stands at the root too. */
export function renderAdapterTree({ versions, served }: AdapterLineage, style: Style): string {
  const known = new Set(versions.map(({ adapterDigest }) => adapterDigest));
  const children = Map.groupBy(versions, ({ parent }) => (parent !== null && known.has(parent) ? parent : null));
  const lines = [served === null ? `base  ${style.green('served')}` : 'base'];
  const visit = (parent: string | null, indent: string): void => {
    const list = children.get(parent) ?? [];
    list.forEach((version, index) => {
      const isLast = index === list.length - 1;
      const { adapterDigest, algorithm, status, evaluation } = version;
      const orphan =
        parent === null && version.parent !== null ? ` (from ${shortId(version.parent)}, unknown here)` : '';
      lines.push(
        `${indent}${isLast ? '└─ ' : '├─ '}${shortId(adapterDigest)}  ${onOneLine(algorithm)}  ${statusText(status, style)}  ${percent(evaluation?.success)}${orphan}`,
      );
      visit(adapterDigest, indent + (isLast ? '   ' : '│  '));
    });
  };
  visit(null, '');
  return `${lines.join('\n')}\n`;
}

export function renderAdapter(version: AdapterVersion, style: Style): string {
  const { evaluation } = version;
  const facts: [string, string][] = [
    ['adapter', version.adapterDigest],
    ['version', String(version.version)],
    [
      'status',
      `${statusText(version.status, style)}${version.reason === null ? '' : ` (${excerpt(version.reason, 100)})`}`,
    ],
    ['algorithm', onOneLine(version.algorithm)],
    ['kind', `${version.kind}, ${bytes(version.sizeBytes)}`],
    ['parent', version.parent ?? 'base model'],
    ['base model', version.baseModelDigest],
    ['fingerprint', fingerprintText(version.fingerprint)],
    ['run', onOneLine(version.runId)],
    ['object', onOneLine(version.key)],
    ['published', new Date(version.publishedAt).toISOString()],
    ['trained on', version.manifestDigest === null ? 'the log' : `buffer manifest ${version.manifestDigest}`],
    ...version.inputs.map(({ topic, partition, from, to }): [string, string] => [
      'offsets',
      `${onOneLine(topic)}/${partition} ${count(from)} … ${count(to)}`,
    ]),
  ];
  if (evaluation !== null) {
    facts.push([
      'evaluation',
      `${percent(evaluation.success)} of ${count(evaluation.problems)} on ${onOneLine(evaluation.problemSet)}, parent ${percent(evaluation.parentSuccess)}`,
    ]);
    if (version.comparison !== null) facts.push(['compared', comparisonText(version.comparison)]);
    facts.push(...judgeFacts(evaluation));
    for (const [domain, success] of Object.entries(evaluation.perDomain).sort()) {
      const parents = evaluation.parentPerDomain[domain];
      const beside = parents === undefined ? '' : `, parent ${percent(parents)}`;
      facts.push([`  ${onOneLine(domain)}`, `${percent(success)}${beside}`]);
    }
  }
  for (const act of version.acts) facts.push([ACTS[act.act], actText(act)]);
  for (const [name, value] of Object.entries(version.metrics).sort()) {
    facts.push([onOneLine(name), Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(5)))]);
  }
  return renderFacts(facts, style);
}
