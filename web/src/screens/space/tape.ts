/** The last seconds of some numbers, for plots that run along. */
export class Tape {
  t: number[] = [];
  private rows: number[][] = [];

  constructor(private readonly seconds: number) {}

  add(t: number, values: number[]): void {
    if (t < (this.t[this.t.length - 1] ?? -Infinity)) this.clear();
    this.t.push(t);
    this.rows.push(values);
    const first = this.t.findIndex((at) => at >= t - this.seconds);
    if (first > 0) {
      this.t.splice(0, first);
      this.rows.splice(0, first);
    }
  }

  clear(): void {
    this.t = [];
    this.rows = [];
  }

  /** Each number over time. */
  columns(): number[][] {
    const width = this.rows[0]?.length ?? 0;
    return Array.from({ length: width }, (_, k) => this.rows.map((row) => row[k] ?? NaN));
  }
}
