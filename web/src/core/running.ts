import type { Operations } from "../messages";
import type { App } from "./app";
import { type Answer, type Job, Refused } from "./connection";
import { progress } from "./widgets";

/** Runs one job at a time, with its progress and a cancel button; a new one ends the old. */
export class Runner {
  readonly bar = progress();
  readonly element = this.bar.element;
  problem = ""; // why the last job has no answer
  private now: Job<keyof Operations> | null = null;

  constructor(private readonly app: App) {}

  /** The job's answer; null where it was cancelled or refused: `problem` then says why. */
  async run<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"]): Promise<Answer<Op> | null> {
    this.now?.cancel();
    this.problem = "";
    const job: Job<Op> = this.app.job(op, body, (part, note) => this.now === (job as unknown) && this.bar.told(part, note));
    this.now = job as unknown as Job<keyof Operations>;
    this.bar.start(() => job.cancel());
    try {
      const answer = await job.done;
      return this.now === (job as unknown) ? answer : null;
    } catch (error) {
      this.problem = error instanceof Refused && error.kind === "cancelled" ? "Cancelled." : (error as Error).message;
      return null;
    } finally {
      if (this.now === (job as unknown)) {
        this.now = null;
        this.bar.end();
      }
    }
  }

  cancel(): void {
    this.now?.cancel();
  }
}
