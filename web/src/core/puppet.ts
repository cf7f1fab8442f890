import type { AtAnswer, Place, SolveAnswer, SolveRequest } from "../messages";
import { type App, type RobotDoc, sameStructure } from "./app";
import { Latest } from "./connection";
import { afterPause, oncePerFrame } from "./dom";
import { Follower, follows } from "./follower";
import { type Kernels, solvesItself } from "./kernels";
import { type Moved, Mover, type Moving, openBy, type Pose, type Stop, scenePoints } from "./motion";
import { length } from "./numbers";
import { Store } from "./store";

type Names = Pick<Pose, "working" | "assembly">;

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
  readonly found = new Store(0); // how often the server told other branches
  mover: Moving | null;
  private answered: SolveAnswer | null = null; // the server's last, where the page cannot solve
  private drawn: { doc: RobotDoc; pose: Pose; points: number[][] } | null = null; // of the last pose asked for
  private branched: { doc: RobotDoc; pose: Pose; others: Other[]; names?: Names } | null = null;
  private leader: Follower | null = null;
  private readonly asking: Latest<SolveRequest, SolveAnswer>;
  private readonly knowing: Latest<Pose, AtAnswer>;
  private readonly branch = afterPause(RESTS, () => void this.askBranches()); // where the page knows none but its own
  private readonly ends: (() => void)[];

  constructor(private readonly app: App) {
    const doc = app.robot.value;
    this.mover = moverOf(doc);
    this.pose = new Store(first(app, doc, this.mover));
    this.asking = new Latest(
      (body) => app.ask("solve", body),
      (answer, body) => this.take(answer, body),
      (e) => this.refuse(e),
    );
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
        if (this.mover?.complete === false) this.branch();
      }),
      app.robot.listen((next) => this.changed(next)),
      app.state.listen(() => this.travelled()),
      app.link.listen((link) => (link === "open" ? know() : this.facts.set(null))), // what nobody answers for is not shown
    ];
  }

  dispose(): void {
    this.branch.cancel();
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
    else this.accept(this.square && !this.doc.told.linkage ? this.mover.moveTip(this.pose.value, x) : this.mover.pull(this.pose.value, x), x);
  }

  /** Bring drive i to a value. */
  moveDrive(i: number, value: number): void {
    const pose = this.pose.value;
    const q = pose.q.map((v, k) => (k === i ? value : v));
    if (this.mover) this.accept(this.mover.moveDrive(pose, i, value), null);
    else if (!this.doc.told.x.length) this.pose.set({ ...pose, q });
    else this.asking.want({ robot: this.doc.ref, q, near: place(pose) });
  }

  /** Bring all drives to values, on the straight way there. */
  moveDrives(q: number[]): void {
    if (this.mover) this.accept(this.mover.moveDrives(this.pose.value, q), null);
    else this.asking.want({ robot: this.doc.ref, q, near: place(this.pose.value) });
  }

  /** Bring a point of the robot towards a place, counted along some directions. */
  lead(point: number, target: ArrayLike<number>, along: ArrayLike<number>[]): void {
    this.accept(this.follower.lead(this.pose.value, point, target, along), null);
  }

  /** The points that can be led. */
  movable(): number[] {
    return follows(this.doc) ? this.follower.movable() : [];
  }

  private get follower(): Follower {
    if (this.leader?.doc !== this.doc) this.leader = new Follower(this.doc, this.doc.kernels as Kernels);
    return this.leader;
  }

  /** Take another branch. */
  switchTo(pose: Pose): void {
    this.stop.set(null);
    this.pose.set(this.mover ? this.mover.named(pose.q, pose.x) : pose);
  }

  /** The branches that the robot is not on; found once for each pose. */
  others(): Other[] {
    const pose = this.pose.value;
    if (this.mover && !this.mover.complete) return this.branched?.doc === this.doc && this.branched.pose === pose ? this.branched.others : [];
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

  /** The name of the branch that the robot is on; empty while nobody has told it. */
  nameOf(kind: keyof Names): string {
    const told = this.branched?.doc === this.doc && this.branched.pose === this.pose.value ? this.branched.names?.[kind] : "";
    return this.pose.value[kind] || told || this.facts.value?.[kind] || "";
  }

  /** Every other branch, from the server: with the output here, and with the drives here. */
  private async askBranches(): Promise<void> {
    const { doc } = this,
      pose = this.pose.value,
      near = place(pose),
      { told } = doc;
    if (told.linkage || !told.closed || this.app.link.value !== "open") return;
    const square = told.q.length === told.x.length;
    const asked = await Promise.allSettled([
      square ? this.app.ask("solve", { robot: doc.ref, x: pose.x, near }) : null,
      this.app.ask("solve", { robot: doc.ref, q: pose.q, near }),
    ]);
    if (this.pose.value !== pose || this.doc !== doc) return;
    const others = asked.flatMap((answer, k) => {
      const rows = answer.status === "fulfilled" && answer.value && !answer.value.why ? answer.value.branches.filter((b) => !b.nearest) : [];
      return rows.map((b): Other => ({ pose: { q: b.q, x: b.x, working: b.working, assembly: b.assembly }, kind: k ? "assembly" : "working", points: b.points }));
    });
    const own = asked.map((answer) => (answer.status === "fulfilled" ? answer.value?.branches.find((b) => b.nearest) : undefined));
    this.branched = { doc, pose, others, names: { working: own[0]?.working ?? "", assembly: own[1]?.assembly ?? "" } };
    this.found.set(this.found.value + 1);
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

  /** Stand where the state says, after an undo or a step Back; false where the loops do not close there. */
  private travelled(): boolean {
    const { robot, q, x } = this.app.state.value,
      pose = this.pose.value,
      { doc } = this;
    if (!q || !x || !sameStructure(robot, doc.ref) || (q === pose.q && x === pose.x)) return false;
    if (JSON.stringify([q, x]) === JSON.stringify([pose.q, pose.x]) || q.length !== doc.told.q.length || x.length !== doc.told.x.length) return false;
    if (openBy(doc, q, x) > 1e-6 * doc.told.size) return false;
    this.stop.set(null);
    this.pose.set(this.mover ? this.mover.named(q, x) : { q, x, working: pose.working, assembly: pose.assembly });
    if (!this.mover && x.length) this.asking.want({ robot: doc.ref, x, near: { q, x } });
    return true;
  }

  /** Other values of the parameters: the output stays where it is, else the drives do, else it begins anew. */
  private changed(doc: RobotDoc): void {
    this.mover = moverOf(doc);
    const before = this.pose.value;
    if (this.travelled()) return;
    if (!this.mover) {
      this.asking.want({ robot: doc.ref, x: before.x, near: place(before) });
      return;
    }
    this.stop.set(null);
    this.pose.set(this.mover.settle(before) ?? beginning(doc, this.mover));
  }
}

/** A pose without the names of its modes, as requests have it. */
const place = ({ q, x }: Pose): Place => ({ q, x });

function moverOf(doc: RobotDoc): Moving | null {
  if (solvesItself(doc.kernels)) return new Mover(doc, doc.kernels);
  return doc.told.closed && doc.kernels && follows(doc) ? new Follower(doc, doc.kernels) : null;
}

const RESTS = 160; // [ms] without a move, before the server is asked for other branches

/** Where the address puts the robot, if its loops close there; else where the server would begin. */
function first(app: App, doc: RobotDoc, mover: Moving | null): Pose {
  const { q, x } = app.state.value;
  const { told, kernels } = doc;
  const fits = q?.length === told.q.length && (x?.length ?? 0) === told.x.length;
  if (mover && q?.length === told.q.length && !x) return mover.moveDrives(beginning(doc, mover), q).pose; // a link may tell one of both
  if (mover && x?.length === told.x.length && !q) return mover[told.q.length === told.x.length ? "moveTip" : "pull"](beginning(doc, mover), x).pose;
  if (!fits || !q) return beginning(doc, mover);
  if (!told.x.length || !kernels) return { q, x: x ?? [], working: "", assembly: "" };
  const at = x ?? [];
  if (mover && openBy(doc, q, at) <= 1e-6 * told.size) return mover.settle(mover.named(q, at)) ?? beginning(doc, mover);
  return beginning(doc, mover);
}

function beginning(doc: RobotDoc, mover: Moving | null): Pose {
  const { q, x, working, assembly } = doc.told.start;
  return mover ? mover.named(q, x) : { q, x, working, assembly };
}

/** Why it goes no further, for people. */
function sentence(stop: Stop): string {
  const by = stop.by === null ? "" : ` by ${length(stop.by)}`;
  if (!stop.leg) return `${stop.what === "tip" ? "Out of reach" : "The drive stops here"}: the loops do not close further on.`;
  return stop.what === "tip"
    ? `Out of reach: leg ${stop.leg} misses the target${by}. The robot waits at the boundary.`
    : `The drive stops here: beyond, ${stop.leg} cannot close the loop${by}.`;
}
