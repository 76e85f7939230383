/** Says how far a stage is, in a line now and then. */
import type { Clock } from '@seamstream/kernel';

/** Between two lines about the same work. */
const PAUSE_MS = 5_000;

export class StageProgress {
  private stage = 0;
  private subject = '';
  private saidMs = 0;

  /** @param title of the way of tuning */
  constructor(
    private readonly title: string,
    private readonly clock: Clock,
    private readonly say: (line: string) => void,
  ) {}

  begin(stage: number): void {
    this.stage = stage;
    this.subject = '';
  }

  /** @param subject what is done, as "planner writes turns" */
  tell(subject: string, done: number, total: number): void {
    const now = this.clock.now();
    if (subject === this.subject && now - this.saidMs < PAUSE_MS) return;
    this.subject = subject;
    this.saidMs = now;
    this.say(`stage ${this.stage}, ${this.title}: ${subject}, ${done} of ${total}`);
  }
}
