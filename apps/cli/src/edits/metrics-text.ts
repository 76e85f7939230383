/** What a run came to, for a collector that reads files: https://prometheus.io/docs/instrumenting/exposition_formats/. Pure. */
import type { GenerationFacts } from './render-generation.js';

/** Gauges, since each run replaces the file of the last one. */
export function metricsText(facts: GenerationFacts): string {
  const labelled = (counts: Readonly<Record<string, number>>, label: string): readonly Sample[] =>
    Object.entries(counts).map(([value, figure]) => [`{${label}="${value}"}`, figure]);
  const families: readonly (readonly [name: string, help: string, samples: readonly Sample[]])[] = [
    ['passages', 'Passages of the data set.', [['', facts.passages]]],
    ['kept', 'Edits that the filters kept.', [['', facts.kept]]],
    ['refused', 'Edits that a filter refused, by its reason.', labelled(facts.refused, 'reason')],
    ['unaugmented', 'Passages without an edit, by the code of the failure.', labelled(facts.unaugmented, 'code')],
    ['documents', 'Documents to train on.', [['', facts.documents]]],
    ['written', 'Edits that the model wrote in this run.', [['', facts.written]]],
    ['cache_hits', 'Edits that the cache had.', [['', facts.cached]]],
    ['cache_hit_ratio', 'Share of this run that the cache had.', facts.hitRate === null ? [] : [['', facts.hitRate]]],
    ['seconds', 'Time of the run.', [['', facts.seconds]]],
  ];
  return families
    .map(([name, help, samples]) => {
      const full = `seam_edits_${name}`;
      const lines = samples.map(([labels, figure]) => `${full}${labels} ${figure}\n`).join('');
      return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${lines}`;
    })
    .join('');
}

type Sample = readonly [labels: string, figure: number];
