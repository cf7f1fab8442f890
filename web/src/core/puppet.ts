import type { AtAnswer, Place, SolveAnswer, SolveRequest } from "../messages";
import type { App, RobotDoc } from "./app";
import { Latest } from "./connection";
import { oncePerFrame } from "./dom";
import { solvesItself } from "./kernels";
import { Mover, scenePoints, type Moved, type Pose, type Stop } from "./motion";
import { length } from "./numbers";
import { Store } from "./store";

export interface Other {
  pose: Pose;
  kind: "working" | "assembly";
  points: number[][];
}

/** The robot in one's hand: its pose, what stops it, its other branches, and the models there. */
export class Puppet {
  readonly pose: Store<Pose>;
  readonly stop = new Store<{ why: string; target: number[] | null } | null>(null);
  readonly facts = new Store<AtAnswer | null>(null);
  mover: Mover | null;
  private answered: SolveAnswer | null = null; // the server's last, where the page cannot solve
  private drawn: { doc: RobotDoc; pose: Pose; points: number[][] } | null = null; // of the last pose asked for
  private branched: { doc: RobotDoc; pose: Pose; others: Other[] } | null = null;
  private readonly asking: Latest<SolveRequest, SolveAnswer>;
  private readonly knowing: Latest<Pose, AtAnswer>;
  private readonly ends: (() => void)[];

  constructor(private readonly app: App) {
    const doc = app.robot.value;
    this.mover = moverOf(doc);
    this.pose = new Store(first(app, doc, this.mover));
    this.asking = new Latest((body) => app.ask("solve", body), (answer, body) => this.take(answer, body), (e) => this.refuse(e));
    this.knowing = new Latest(
      (pose) => app.ask("at", { robot: app.robot.value.ref, q: pose.q, x: pose.x }),
      (answer) => this.facts.set(answer),
      () => this.facts.set(null),
    );
    const know = oncePerFrame(() => app.link.value === "open" && this.knowing.want(this.pose.value));
    this.ends = [
      this.pose.follow((pose) => {
        app.state.patch({ q: pose.q, x: pose.x });
        know();
      }),
      app.robot.listen((next) => this.changed(next)),
      app.link.listen((link) => link === "open" && know()),
    ];
  }

  dispose(): void {
    for (const end of this.ends) end();
  }

  get doc(): RobotDoc {
    return this.app.robot.value;
  }

  points(pose = this.pose.value): number[][] {
    if (this.drawn?.doc !== this.doc || this.drawn.pose !== pose) {
      const made = { doc: this.doc, pose, points: scenePoints(this.doc, pose.q, pose.x) };
      if (pose !== this.pose.value) return made.points;
      this.drawn = made;
    }
    return this.drawn.points;
  }

  /** Whether as many drives as outputs: each output has its own drives. */
  get square(): boolean {
    return this.doc.told.q.length === this.doc.told.x.length;
  }

  /** Bring the output to x. */
  moveTip(x: number[]): void {
    if (!this.mover) this.asking.want({ robot: this.doc.ref, x, near: place(this.pose.value) });
    else this.accept(this.square ? this.mover.moveTip(this.pose.value, x) : this.mover.pull(this.pose.value, x), x);
  }

  /** Bring drive i to a value. */
  moveDrive(i: number, value: number): void {
    const pose = this.pose.value;
    const q = pose.q.map((v, k) => (k === i ? value : v));
    if (this.mover) this.accept(this.mover.moveDrive(pose, i, value), null);
    else if (!this.doc.told.x.length) this.pose.set({ ...pose, q });
    else this.asking.want({ robot: this.doc.ref, q, near: place(pose) });
  }

  /** Take another branch. */
  switchTo(pose: Pose): void {
    this.stop.set(null);
    this.pose.set(this.mover ? this.mover.named(pose.q, pose.x) : pose);
  }

  /** The branches that the robot is not on; found once for each pose. */
  others(): Other[] {
    const pose = this.pose.value;
    if (this.mover) {
      if (this.branched?.doc !== this.doc || this.branched.pose !== pose) {
        const others = this.mover.others(pose).map((o) => ({ ...o, points: this.points(o.pose) }));
        this.branched = { doc: this.doc, pose, others };
      }
      return this.branched.others;
    }
    const rows = this.answered?.branches.filter((b) => !b.nearest) ?? [];
    return rows.map((b) => ({ pose: b, kind: b.working === pose.working ? "assembly" : "working", points: b.points }));
  }

  private accept(moved: Moved, target: number[] | null): void {
    this.stop.set(moved.why ? { why: sentence(moved.why), target } : null);
    this.pose.set(moved.pose);
  }

  private take(answer: SolveAnswer, body: SolveRequest): void {
    this.answered = answer;
    const found = answer.branches.find((b) => b.nearest) ?? answer.branches[0];
    this.stop.set(answer.why ? { why: answer.why.message, target: body.x ?? null } : null);
    if (found) this.pose.set({ q: found.q, x: found.x, working: found.working, assembly: found.assembly });
  }

  private refuse(error: Error): void {
    this.stop.set({ why: error.message, target: null });
  }

  /** Other values of the parameters: the output stays where it is, else the drives do, else it begins anew. */
  private changed(doc: RobotDoc): void {
    this.mover = moverOf(doc);
    const before = this.pose.value;
    if (!this.mover) {
      this.asking.want({ robot: doc.ref, x: before.x, near: place(before) });
      return;
    }
    this.stop.set(null);
    if (this.square && holds(doc, this.mover, before)) this.pose.set(this.mover.moveTip(before, before.x).pose);
    else this.pose.set(nearestStart(doc, this.mover, before));
  }
}

/** A pose without the names of its modes, as requests have it. */
const place = ({ q, x }: Pose): Place => ({ q, x });

const moverOf = (doc: RobotDoc): Mover | null => (solvesItself(doc.kernels) ? new Mover(doc, doc.kernels) : null);

const holds = (doc: RobotDoc, mover: Mover, pose: Pose): boolean =>
  doc.kernels?.inverse(pose.x, mover.doc.p).solutions.some((s) => s.mode === pose.working) ?? false;

function nearestStart(doc: RobotDoc, mover: Mover, before: Pose): Pose {
  const direct = mover.moveDrive(before, 0, before.q[0] ?? 0);
  const closed = doc.kernels ? doc.kernels.configuration(direct.pose.q, direct.pose.x, doc.p).residual < 1e-9 * doc.told.size : false;
  return closed ? direct.pose : beginning(doc, mover);
}

/** Where the address puts the robot, if its loops close there; else where the server would begin. */
function first(app: App, doc: RobotDoc, mover: Mover | null): Pose {
  const { q, x } = app.state.value;
  const { told, kernels } = doc;
  const fits = q?.length === told.q.length && (x?.length ?? 0) === told.x.length;
  if (!fits || !q) return beginning(doc, mover);
  if (!told.x.length || !kernels) return { q, x: x ?? [], working: "", assembly: "" };
  const at = x ?? [];
  if (mover && kernels.configuration(q, at, doc.p).residual <= 1e-6 * told.size) {
    const named = mover.named(q, at);
    return told.q.length === told.x.length ? mover.moveTip(named, at).pose : mover.moveDrive(named, 0, q[0] ?? 0).pose;
  }
  return beginning(doc, mover);
}

function beginning(doc: RobotDoc, mover: Mover | null): Pose {
  const { q, x, working, assembly } = doc.told.start;
  return mover ? mover.named(q, x) : { q, x, working, assembly };
}

/** Why it goes no further, for people. */
function sentence(stop: Stop): string {
  const by = stop.by === null ? "" : ` by ${length(stop.by)}`;
  return stop.what === "tip"
    ? `Out of reach: leg ${stop.leg} misses the target${by}. The robot waits at the boundary.`
    : `The drive stops here: beyond, ${stop.leg} cannot close the loop${by}.`;
}
