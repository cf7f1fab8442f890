import type { RobotDoc } from "../../core/app";
import type { Live } from "../../core/live";
import { shown } from "../../core/numbers";
import { Cursor, type Curve, plot } from "../../core/plot";
import { columnOf, type Run } from "../simulate/run";
import { Tape } from "./tape";

/** Plots of the coordinates, the voltage and the energies: of the last seconds of live motion, or of a run. */
export class Graphs {
  private readonly tape: Tape;
  private readonly cursor = new Cursor();
  private readonly motion = plot({ title: "Motion", height: 110, cursor: this.cursor });
  private readonly energy = plot({ title: "Energy", unit: "J", height: 90, cursor: this.cursor });
  readonly elements = [this.motion.element, this.energy.element];

  constructor(
    private readonly doc: () => RobotDoc,
    seconds: number,
  ) {
    this.tape = new Tape(seconds);
  }

  record(live: Live): void {
    const { kinetic, potential } = live.energy(this.doc().p);
    this.tape.add(live.t, [...live.now.q, ...live.u, kinetic, potential]);
  }

  forget(): void {
    this.tape.clear();
  }

  /** What was recorded. */
  live(t: number): void {
    const { told, kernels } = this.doc();
    const columns = this.tape.columns();
    const n = told.q.length,
      m = kernels?.robot.driven.length ?? 0;
    const voltages = kernels?.robot.inputs === "voltage" ? columns.slice(n, n + m) : [];
    this.show(
      this.tape.t,
      told.q.map((_, i) => columns[i] ?? []),
      voltages,
      [columns[n + m] ?? [], columns[n + m + 1] ?? []],
    );
    this.cursor.set(t);
  }

  run(run: Run): void {
    const { told } = this.doc();
    const voltages = run.meta.output === "voltage" ? [columnOf(run, "tau", 0)] : [];
    this.show(
      run.t,
      told.q.map((_, i) => columnOf(run, "q", i)),
      voltages,
      [columnOf(run, "kinetic", 0), columnOf(run, "potential", 0)],
    );
  }

  point(t: number): void {
    this.cursor.set(t);
  }

  dispose(): void {
    this.motion.dispose();
    this.energy.dispose();
  }

  private show(t: ArrayLike<number>, q: ArrayLike<number>[], voltages: ArrayLike<number>[], energies: ArrayLike<number>[]): void {
    const curves: Curve[] = this.doc().told.q.map((row, i) => {
      const { unit, factor } = shown(row.unit);
      return { name: row.name, unit, values: Array.from(q[i] ?? [], (v) => v * factor) };
    });
    curves.push(...voltages.map((values) => ({ name: "voltage", unit: "V", values, dash: 1 })));
    this.motion.show(t, curves);
    this.energy.show(
      t,
      ["kinetic", "potential"].map((name, k) => ({ name, values: energies[k] ?? [] })),
    );
  }
}
