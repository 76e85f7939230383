/**
 * Of equal contents, and of contents that resemble each other, the best candidate: kept up to date as candidates come and go.
 *
 *   candidates ─► content (same domain, prompt and entry) ─► cluster of near duplicates, within a bucket ─► its best candidate
 *
 * Joins of a cluster cannot be undone. So when one of its contents goes, the others are joined again. All else stays.
 */

import { NearDuplicateClusters } from '@seamstream/near-duplicates';
import type { BufferConfig } from './buffer.config.js';
import { byHelpThenId, type Candidate } from './candidate.js';
import { Changes } from './changes.js';

interface Content {
  readonly bucket: string;
  readonly candidates: Set<Candidate>;
  best: Candidate;
  cluster: Cluster;
  /** Its number in the bucket's index. */
  textId: number;
}

interface Cluster {
  contents: Content[];
  /** As of the last update. */
  best: Candidate | undefined;
}

interface Bucket {
  readonly index: NearDuplicateClusters;
  /** By number in the index. */
  readonly contents: Map<number, Content>;
}

export class DistinctContents {
  private readonly contents = new Map<string, Content>(); // by digest
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly settings: BufferConfig['nearDuplicates']) {}

  /** @returns which candidates are now the best of their cluster, and which no longer are */
  update(candidates: Changes<Candidate>): Changes<Candidate> {
    const known = new Set<Content>();
    for (const candidate of candidates.left) {
      const content = this.contentOf(candidate);
      content.candidates.delete(candidate);
      known.add(content);
    }
    const unplaced = new Set<Content>();
    for (const candidate of candidates.entered) {
      const content = this.contents.get(candidate.traits.contentDigest);
      if (content === undefined) unplaced.add(this.create(candidate));
      else {
        content.candidates.add(candidate);
        if (!unplaced.has(content)) known.add(content);
      }
    }
    const touched = new Set<Cluster>();
    const broken = new Set<Cluster>();
    for (const content of known) (content.candidates.size === 0 ? broken : touched).add(content.cluster);
    for (const content of [...known, ...unplaced])
      if (content.candidates.size > 0) content.best = bestOf(content.candidates);
    for (const cluster of broken) {
      for (const content of this.dissolve(cluster)) unplaced.add(content);
      touched.add(cluster);
    }
    for (const content of unplaced) for (const cluster of this.place(content)) touched.add(cluster);
    return changesOf(touched);
  }

  /** Of a candidate that the last update knew: the best of equal content, and the best of all that resemble it. */
  bestOf(candidate: Candidate): { readonly ofContent: Candidate; readonly ofCluster: Candidate } {
    const { best, cluster } = this.contentOf(candidate);
    return { ofContent: best, ofCluster: cluster.best! };
  }

  private contentOf({ traits }: Candidate): Content {
    return this.contents.get(traits.contentDigest)!;
  }

  private create(first: Candidate): Content {
    const { contentDigest, bucket } = first.traits;
    const cluster: Cluster = { contents: [], best: undefined };
    const content: Content = { bucket, candidates: new Set([first]), best: first, cluster, textId: 0 };
    this.contents.set(contentDigest, content);
    return content;
  }

  /** Takes a cluster apart, of which some contents have no candidate any more; the others are without a place. */
  private dissolve(cluster: Cluster): readonly Content[] {
    const { contents } = cluster;
    cluster.contents = [];
    const { bucket: name } = contents[0]!;
    const bucket = this.buckets.get(name);
    if (bucket !== undefined) {
      // The last ones first: they are at the beginning of their chains.
      bucket.index.removeCluster(contents.map(({ textId }) => textId).reverse());
      for (const { textId } of contents) bucket.contents.delete(textId);
      if (bucket.index.size === 0) this.buckets.delete(name);
    }
    for (const { candidates, best } of contents)
      if (candidates.size === 0) this.contents.delete(best.traits.contentDigest);
    return contents.filter(({ candidates }) => candidates.size > 0);
  }

  /** Gives a content its cluster, which may join several. @returns all clusters that are other than before */
  private place(content: Content): readonly Cluster[] {
    const joined = this.settings.scope === 'off' ? [] : this.addText(content);
    const own: Cluster = { contents: [content], best: undefined };
    content.cluster = own;
    // The smaller ones move, so that nothing moves more often than the logarithm of the size.
    const clusters = [own, ...joined].sort((a, b) => b.contents.length - a.contents.length);
    const [largest, ...others] = clusters as [Cluster, ...Cluster[]];
    for (const other of others) {
      for (const moved of other.contents) {
        moved.cluster = largest;
        largest.contents.push(moved);
      }
      other.contents = [];
    }
    return clusters;
  }

  /** @returns the clusters that the content's text joins */
  private addText(content: Content): readonly Cluster[] {
    const { threshold, shingleWords } = this.settings;
    let bucket = this.buckets.get(content.bucket);
    if (bucket === undefined) {
      bucket = { index: new NearDuplicateClusters({ threshold, shingleWords }), contents: new Map() };
      this.buckets.set(content.bucket, bucket);
    }
    const joined: Cluster[] = [];
    const { index, contents } = bucket;
    content.textId = index.add(content.best.traits.text, (other) => joined.push(contents.get(other)!.cluster));
    contents.set(content.textId, content);
    return joined;
  }
}

function bestOf(candidates: Iterable<Candidate>): Candidate {
  let [best] = candidates as Iterable<Candidate> & [Candidate];
  for (const candidate of candidates) if (byHelpThenId(candidate, best) < 0) best = candidate;
  return best;
}

function changesOf(clusters: Iterable<Cluster>): Changes<Candidate> {
  const changes = new Changes<Candidate>();
  for (const cluster of clusters) {
    const before = cluster.best;
    cluster.best = cluster.contents.length === 0 ? undefined : bestOf(cluster.contents.map(({ best }) => best));
    if (before === cluster.best) continue;
    if (before !== undefined) changes.leave(before);
    if (cluster.best !== undefined) changes.enter(cluster.best);
  }
  return changes;
}
