// What workers and planners believe of plans, what they leave, and what they keep in memory.
const rows = (file, spec, all) =>
  all.map((row) => ({ file: `libs/training-runs/src/${file}`, suite: 'quick', spec, ...row }));
const FORGED = 'apps/trainer/src/forged-plans.spec.ts';
const LEFT = 'apps/trainer/src/left-runs.spec.ts';
const SECOND = 'apps/trainer/src/second-method.spec.ts';

const contract = (file, spec, all) =>
  all.map((row) => ({ file: `libs/training-contract/src/${file}`, suite: 'quick', spec, ...row }));

export default [
  ...contract('job-files.ts', 'libs/training-contract/src/job-files.spec.ts', [
    {
      control: 'a file of a job is the one that its digest names',
      from: 'bytes.byteLength === file.sizeBytes && sha256(bytes) === file.sha256',
      to: 'bytes.byteLength === file.sizeBytes',
    },
    {
      control: 'a job for LoRA holds the factors that it begins with',
      from: "if (trainable.kind === 'lora' && start === null)",
      to: 'if (false)',
    },
    {
      control: 'a mask is written once',
      from: 'this.known.set(name, line);',
      to: '',
    },
    {
      control: 'a mask is the shorter of its lists',
      from: 'ids.length * 2 <= this.vocabularySize',
      to: 'ids.length >= 0',
    },
  ]),
  ...contract('carry-out-job.ts', 'libs/model-clients/src/training-engine.language-model.spec.ts', [
    {
      control: 'a job resumes from no checkpoint of another engine',
      from: 'canonicalJson(checkpoint.engine) !== canonicalJson(engine.identity)',
      to: 'checkpoint.engine === undefined',
    },
    {
      control: 'a job resumes from no checkpoint of another run',
      from: 'checkpoint.runId !== runId',
      to: 'checkpoint.runId === undefined',
    },
    {
      control: 'a job is done where its result is',
      from: 'if ((await readOutput(objects, folder, job)) !== undefined) return;',
      to: '',
    },
    {
      control: 'a job that was killed resumes from its checkpoints',
      from: 'if (metrics !== undefined) return metrics;',
      to: '',
    },
  ]),
  ...contract('job-folder.ts', 'libs/training-contract/src/job-folder.spec.ts', [
    {
      control: 'a program that is followed no longer is ended',
      from: '    running.cancel();\n',
      to: '',
    },
    {
      control: 'the reason for refusing a program is reported',
      from: 'if (bytes === undefined)\n    return new SeamError(',
      to: 'if (bytes !== null)\n    return new SeamError(',
    },
    {
      control: 'a checkpoint that was there at the start is not handed on',
      from: 'if (this.known.has(nameOf(checkpoint))) continue;',
      to: '',
    },
  ]),
  ...contract('job-launcher.child-process.adapter.ts', 'libs/training-contract/src/job-folder.spec.ts', [
    {
      control: 'what a program started ends with it',
      from: "child.once('exit', () => signalGroup(child.pid, 'SIGKILL'));",
      to: '',
    },
    {
      control: 'a program that is deaf is ended by force',
      from: "setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs)",
      to: "setTimeout(() => signalGroup(child.pid, 'SIGTERM'), graceMs)",
    },
  ]),
  ...rows('run-training.ts', 'libs/training-runs/src/run-training.spec.ts', [
    {
      control: 'a worker that has lost its run deletes nothing of the new holder',
      from: '      await holder.record([ending]);\n      await this.tidy(runId);',
      to: '      await this.tidy(runId);\n      await holder.record([ending]);',
    },
  ]),
  ...rows('sweep-ended-runs.ts', LEFT, [
    {
      control: 'what an ended run has left is deleted',
      from: 'if (hasEnded(runs.get(runId) ?? initialState())) await objects.delete(key);',
      to: '',
    },
    {
      control: 'the folder of a run that is not known is left alone',
      from: 'if (hasEnded(runs.get(runId) ?? initialState()))',
      to: 'if (hasEnded(runs.get(runId) ?? initialState()) || !runs.has(runId))',
    },
  ]),
  ...contract('cluster-jobs.ts', 'libs/training-contract/src/cluster-jobs.spec.ts', [
    {
      control: 'a job that does not start is given up',
      from: 'nowMs - run.waitsSinceMs >= startWithinMs',
      to: 'nowMs - run.waitsSinceMs >= Infinity',
    },
    {
      control: 'a job that has started waits no longer',
      from: 'run.isWaiting ? (run.waitsSinceMs ?? nowMs) : undefined',
      to: '(run.waitsSinceMs ?? nowMs)',
    },
    {
      control: 'a cluster that takes nothing away is not waited for',
      from: 'nowMs - run.gaveUp.atMs >= silenceMs',
      to: 'nowMs - run.gaveUp.atMs >= Infinity',
    },
    {
      control: 'a program that no worker may look at is ended',
      from: 'await this.cluster.stop(name);\n      return ',
      to: 'return ',
    },
  ]),
  ...contract('cluster-jobs.kubernetes.adapter.ts', 'libs/training-contract/src/cluster-jobs.kubernetes.spec.ts', [
    {
      control: 'a Job of Kubernetes says what it waits for',
      from: 'const facts = [status, ...waits, ...refused];',
      to: 'const facts = [status, ...refused];',
    },
    {
      control: 'a pod that is pending has not started',
      from: "phase !== 'Pending' &&",
      to: '',
    },
  ]),
  ...contract('json-request.ts', 'libs/training-contract/src/json-request.spec.ts', [
    {
      control: 'an answer of a cluster has to end in time',
      from: "request.once('close', () => clearTimeout(deadline));",
      to: 'clearTimeout(deadline);',
    },
    { control: 'an answer of a cluster is bounded', from: 'if (sizeBytes > ANSWER_BYTES)', to: 'if (sizeBytes < 0)' },
    {
      control: 'of a long log the end is kept',
      from: 'sizeBytes > 2 * lastBytes ?',
      to: 'sizeBytes < 0 ?',
    },
  ]),
  ...contract('job-disk.ts', 'libs/training-contract/src/job-disk.spec.ts', [
    { control: 'a full disk ends no run', from: 'if (FULL.has(code))', to: 'if (false)' },
    { control: 'a disk that fails ends no run', from: 'if (FAILING.has(code))', to: 'if (false)' },
  ]),
  ...contract('job-files.ts', 'libs/training-contract/src/job-files.spec.ts', [
    {
      control: 'a result is of the operation that was asked for',
      from: "assertSame(folder, 'operation', { asked: job.operation, made: result.operation });",
      to: '',
    },
    {
      control: 'a result is of the base model that was asked for',
      from: "assertSame(folder, 'base model', { asked: job.baseModelDigest, made: baseModelDigest });",
      to: '',
    },
    {
      control: 'a result is of the settings that were asked for',
      from: "assertSame(folder, 'trained tensors', { asked: job.trainable, made: settings });",
      to: '',
    },
    {
      control: 'a result has the steps that were asked for',
      from: "assertSame(folder, 'steps', { asked: job.steps.length, made: result.steps });",
      to: '',
    },
    {
      control: 'a result has figures of each step',
      from: "assertSame(folder, 'lines of metrics', { asked: result.steps, made: metrics.length });",
      to: '',
    },
    {
      control: 'scores are of each target of each sequence',
      from: 'made: logProbabilities.map(({ length }) => length),',
      to: "made: job.operation === 'score' ? job.sequences.map(({ targets }) => targets.length) : [],",
    },
  ]),
  ...contract('job-folder.ts', 'libs/training-contract/src/job-folder.spec.ts', [
    {
      control: 'a program that makes no progress is ended',
      from: 'performance.now() - progress.sinceMs >= progressWithinMs',
      to: 'performance.now() - progress.sinceMs >= Infinity',
    },
    {
      control: 'a program that waits for its start is not held to progress',
      from: 'if (running.isWaiting?.()) progress.sinceMs = performance.now();',
      to: '',
    },
  ]),
  ...rows('program-runner.ts', 'apps/trainer/src/trained-by-a-program.spec.ts', [
    {
      control: 'a worker that has lost its run starts no program',
      from: 'await recording.record?.([]);',
      to: '',
    },
  ]),
  ...rows('program-runner.ts', 'apps/trainer/src/trained-by-a-program.spec.ts', [
    {
      control: 'a run of a program resumes from its checkpoint',
      from: 'await recording.resume(checkpointIn(folder))',
      to: 'undefined as Awaited<ReturnType<typeof recording.resume>>',
    },
    {
      control: 'a program ends with its worker',
      from: '          signal,\n          progressWithinMs,\n',
      to: '          signal: new AbortController().signal,\n          progressWithinMs,\n',
    },
    {
      control: 'the checkpoints of a program are recorded while the run is held',
      from: 'if (state !== undefined) await saving?.save(checkpointIn(folder, checkpoint.step, state), figures);',
      to: 'void [state, saving, figures];',
    },
  ]),
  ...rows('run-training.ts', 'apps/trainer/src/trained-by-a-program.spec.ts', [
    {
      control: 'an adapter names the engine that its result names',
      from: 'const { artefact, steps, metrics, engine = runner.engine } = made;',
      to: 'const { artefact, steps, metrics } = made; const { engine } = runner;',
    },
  ]),
  ...contract('agreement.ts', 'libs/training-contract/src/agreement.spec.ts', [
    {
      control: 'each tensor has to agree',
      from: 'return weights <= tolerance.weights && change <= tolerance.change;',
      to: 'return change <= tolerance.change;',
    },
    {
      control: 'what training changed has to agree',
      from: 'return weights <= tolerance.weights && change <= tolerance.change;',
      to: 'return weights <= tolerance.weights;',
    },
    {
      control: 'a weight that is no number agrees with none',
      from: 'return Number.isNaN(found) ? Number.POSITIVE_INFINITY : found;',
      to: 'return found;',
    },
  ]),
  ...rows('run-plan.ts', FORGED, [
    {
      control: 'a plan is believed under the id that its content leads to',
      from: "return runId === idOf(named) || ('manifestKey' in event && runId === firstIdOf(named));",
      to: "return runId !== '';",
    },
  ]),
  ...rows('plan-doubt.decide.ts', FORGED, [
    {
      control: 'a start under a foreign id belongs to no run',
      from: "if (event.meta.messageId !== derivedId(event.runId, role)) return 'its own id does not follow from its run';",
      to: '',
    },
    { control: 'a window has one plan', from: 'if (windows.has(index))', to: 'if (index < 0)' },
    { control: 'what a plan reads is in the log', from: 'to <= end;', to: 'to <= Infinity;' },
    {
      control: 'a plan builds on what was served',
      from: '.find((digest) => !served.has(digest))',
      to: '.find((digest) => digest === undefined)',
    },
    { control: 'a level follows from its place', from: '- 1) < ROUNDING', to: '- 1) < Infinity' },
    {
      control: 'a version that a plan reads was committed',
      from: '!versions.has(versionName(manifest))',
      to: 'manifest === null',
    },
  ]),
  ...rows('carry-out.decide.ts', LEFT, [
    {
      control: 'a worker passes over what another base model is asked for',
      from: 'if (plan.baseModelDigest !== baseModelDigest)',
      to: 'if (plan.baseModelDigest === null)',
    },
    {
      control: 'a worker compares on the problems that the plan names',
      from: 'asked.digest === problemSet.digest',
      to: 'asked.digest !== null',
    },
  ]),
  ...rows('run-training.ts', LEFT, [
    {
      control: 'a run that is cancelled stops at its next checkpoint',
      from: "if (known.runs.get(runId)?.status === 'cancelled') throw new RunCancelled(runId);",
      to: '',
    },
  ]),
  ...rows('judge-adapter.ts', LEFT, [
    {
      control: "an adapter is measured under its plan's terms",
      from: 'await runner.evaluation.under(plan.configuration.evaluation)',
      to: 'runner.evaluation',
    },
  ]),
  ...rows('carry-out.decide.ts', LEFT, [
    {
      control: 'a method is had for its slot alone',
      from: 'able?.slot !== slot',
      to: 'able === undefined',
    },
    {
      control: 'a worker leaves a method that it lacks to another one',
      from: 'const able = abilities.get(method);',
      to: 'const able = abilities.get(method) ?? [...abilities.values()][0];',
    },
  ]),
  ...rows('make-artefact.ts', SECOND, [
    {
      control: "a plan's own method carries it out",
      from: 'const found = methods.get(method);',
      to: 'const found = [...methods.values()][0];',
    },
    {
      control: 'a runner resumes from what it has saved',
      from: 'resume: (work) => kept.restoreInto(work, checkpoints),',
      to: 'resume: (work) => kept.restoreInto(work, []),',
    },
    {
      control: 'what a runner saves is recorded',
      from: 'save: async (work, metrics) => saving.record(await kept.save(work), metrics),',
      to: 'save: async (work) => kept.save(work),',
    },
  ]),
  ...rows('run-training.ts', SECOND, [
    {
      control: 'a run begins with what its parent made',
      from: 'await this.making.make(plan, await parentOf(plan, known.published, runner), {',
      to: 'await this.making.make(plan, null, {',
    },
  ]),
  ...rows('plan-run.handler.ts', SECOND, [
    {
      control: 'a plan names the method that it is for',
      from: 'method: this.dependencies.method.name,',
      to: "method: 'seam',",
    },
    {
      control: 'a plan names what its artefact is served as',
      from: 'slot: this.dependencies.method.slot,',
      to: "slot: 'generator',",
    },
  ]),
  ...rows('run-events.ts', SECOND, [
    {
      control: 'a published artefact says its kind',
      from: 'artefact: { kind, digest, address: stored.key },',
      to: "artefact: { kind: 'lora', digest, address: stored.key },",
    },
  ]),
  ...rows('run-training.ts', 'apps/trainer/src/app.module.spec.ts', [
    {
      control: 'a tolerance that would prove nothing counts for nothing',
      from: 'toleranceOf(published.engine)',
      to: 'published.engine?.tolerance ?? null',
    },
    {
      control: 'weights beyond the tolerance are reported',
      from: 'matches: isWithin(difference, tolerance)',
      to: 'matches: true',
    },
  ]),
  ...rows('gradient-runner.ts', 'apps/trainer/src/app.module.spec.ts', [
    {
      control: 'an adapter says what trained it',
      from: 'return this.dependencies.engine.identity;',
      to: 'return { ...this.dependencies.engine.identity, tolerance: null };',
    },
  ]),
  ...rows('window-restoration.ts', 'apps/trainer/src/window-restoration.spec.ts', [
    { control: 'a restoration comes in slices', from: 'if (left <= 0) return undefined;', to: '' },
  ]),
  ...rows('recorded-events.ts', 'libs/training-runs/src/recorded-events.spec.ts', [
    { control: 'what holds nothing wanted is not kept', from: 'if (!records.some(wants)) return [];', to: '' },
  ]),
  {
    file: 'libs/language-model/src/training/sequence-batch.ts',
    suite: 'quick',
    spec: 'libs/model-clients/src/training-engine.language-model.spec.ts',
    control: 'legal tokens that come as data are the only ones',
    from: 'return schema !== undefined || allowed !== undefined;',
    to: 'return schema !== undefined;',
  },
  {
    file: 'libs/training-contract/src/cluster-jobs.ts',
    suite: 'quick',
    spec: 'libs/training-contract/src/cluster-jobs.spec.ts',
    control: 'a job of an older start is ended before the new one is submitted',
    from: 'else if (!isOver(found)) return this.stopped(run);',
    to: '',
  },
  {
    file: 'libs/training-contract/src/cluster-jobs.ts',
    suite: 'quick',
    spec: 'libs/training-contract/src/cluster-jobs.spec.ts',
    control: "a start follows and cancels no other start's job",
    from: 'if (found?.folder === folder) {',
    to: 'if (found !== undefined) {',
  },
  {
    file: 'libs/training-contract/src/cluster-jobs.kubernetes.adapter.ts',
    suite: 'quick',
    spec: 'libs/training-contract/src/cluster-jobs.kubernetes.spec.ts',
    control: 'a Job of Kubernetes has ended when its pods have',
    from: "if (metadata.deletionTimestamp) return { folder, state: 'running' };",
    to: "if (metadata.deletionTimestamp) return { folder, state: 'failed' };",
  },
  {
    file: 'libs/training-contract/src/cluster-jobs.kubernetes.adapter.ts',
    suite: 'quick',
    spec: 'libs/training-contract/src/cluster-jobs.kubernetes.spec.ts',
    control: 'Kubernetes does not try a Job again by itself',
    from: 'backoffLimit: 0,',
    to: '',
  },
  {
    file: 'apps/trainer/src/torch-command.ts',
    suite: 'quick',
    spec: 'apps/trainer/src/torch-command.spec.ts',
    control: 'a trainer whose Ray does not answer is refused at its start',
    from: 'await reached(jobs.version(),',
    to: 'await reached(Promise.resolve(),',
  },
  {
    file: 'libs/language-model/src/training/sequence-batch.ts',
    suite: 'quick',
    spec: 'libs/language-model/src/training/sequence-batch.spec.ts',
    control: 'the memory of a large model in training does not grow with the batch',
    from: "if (!isLarge || executionProvider !== 'cpu') return RUN_TOKENS;",
    to: 'return RUN_TOKENS;',
  },
  {
    file: 'libs/tensor-graph/src/native-environment.ts',
    suite: 'quick',
    spec: 'libs/tensor-graph/src/native-environment.spec.ts',
    control: 'products on a graphics processor are not rounded to TF32',
    from: "process.env.NVIDIA_TF32_OVERRIDE ??= '0';",
    to: '',
  },
  {
    file: 'apps/trainer/src/torch-command.ts',
    suite: 'quick',
    spec: 'apps/trainer/src/torch-command.spec.ts',
    control: 'a trainer whose PyTorch does not start is refused at its start',
    from: 'if (hasSucceeded) return launcher;',
    to: 'return launcher;',
  },
  {
    file: 'libs/service-kit/src/transport/crash-journal.ts',
    suite: 'quick',
    spec: 'libs/service-kit/src/transport/crash-journal.spec.ts',
    control: 'what is suspected and waits is not tried with others',
    from: 'await marks.clear(place);\n          return;',
    to: 'await marks.clear(place);\n          break;',
  },
];
