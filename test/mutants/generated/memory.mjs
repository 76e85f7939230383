// What earlier runs found, next to the other caches of packages: one line of JSON for each finding, the last one of a name counts. A finding
// holds as long as the files that it rests on are what they were: the mutated file, and the specs that ran.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export class Memory {
  #file;
  #findings = new Map();
  #digests = new Map();

  /** @param files that findings may rest on, read now: what is edited during a run counts for the next */
  constructor(root, name, files) {
    for (const path of files)
      this.#digests.set(
        path,
        createHash('sha256')
          .update(readFileSync(join(root, path)))
          .digest('hex'),
      );
    this.#file = join(root, 'node_modules/.cache/seamstream-mutants', name);
    mkdirSync(dirname(this.#file), { recursive: true });
    if (!existsSync(this.#file)) return;
    // The last line of a run that was killed may be torn.
    for (const line of readFileSync(this.#file, 'utf8').split('\n')) {
      try {
        const { name: of, ...rest } = JSON.parse(line);
        this.#findings.set(of, rest);
      } catch {}
    }
  }

  /** @returns the finding, or undefined where there is none that still holds */
  recall(name) {
    const found = this.#findings.get(name);
    return found?.restsOn === this.#digestOf(found?.files ?? []) ? found.finding : undefined;
  }

  /** @param files that the finding rests on, from the root */
  keep(name, finding, files) {
    const kept = { finding, files, restsOn: this.#digestOf(files) };
    this.#findings.set(name, kept);
    appendFileSync(this.#file, `\n${JSON.stringify({ name, ...kept })}`);
  }

  #digestOf(files) {
    const whole = createHash('sha256');
    // A file that is gone has no digest, and no finding rests on it.
    for (const file of files) whole.update(`${file} ${this.#digests.get(file)}\n`);
    return whole.digest('hex');
  }
}
