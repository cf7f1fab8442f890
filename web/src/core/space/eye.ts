export type Vector = [number, number, number];

const LOW = -0.4,
  HIGH = 1.5; // [rad] of the eye's height
const AWAY = 3.2; // of what is looked at: how far the eye is

/** Where one looks from: an eye that goes around a place, and what it sees where, in pixels. */
export class Eye {
  around = -0.98;
  height = 0.42;
  zoomed = 1;
  width = 0;
  tall = 0; // [px] of the picture
  private middle: Vector = [0, 0, 0];
  private span = 1;

  /** Look at everything within `span` metres about a place, from where it was first looked at. */
  frame(middle: Vector, span: number): void {
    [this.middle, this.span] = [middle, span];
    [this.around, this.height, this.zoomed] = [-0.98, 0.42, 1];
  }

  turn(dx: number, dy: number): void {
    this.around -= dx;
    this.height = Math.min(HIGH, Math.max(LOW, this.height + dy));
  }

  zoom(factor: number): void {
    this.zoomed = Math.min(12, Math.max(0.2, this.zoomed * factor));
  }

  /** The eye's axes: right, up, towards the eye. */
  axes(): [Vector, Vector, Vector] {
    const [c, s, ch, sh] = [Math.cos(this.around), Math.sin(this.around), Math.cos(this.height), Math.sin(this.height)];
    return [
      [-s, c, 0],
      [-sh * c, -sh * s, ch],
      [ch * c, ch * s, sh],
    ];
  }

  /** [px/m] where a place is so near to the eye [m], counted from the middle. */
  pixels(near = 0): number {
    const away = AWAY * this.span;
    return ((0.82 * this.zoomed * Math.min(this.width, this.tall)) / this.span) * (away / Math.max(away - near, 0.08 * away));
  }

  /** Where a place is [px], and how near to the eye [m]. */
  seen(p: ArrayLike<number>): Vector {
    const d = this.middle.map((m, k) => (p[k] ?? 0) - m);
    const [right = 0, up = 0, near = 0] = this.axes().map((axis) => axis.reduce((sum, a, k) => sum + a * (d[k] ?? 0), 0));
    const scale = this.pixels(near);
    return [this.width / 2 + right * scale, this.tall / 2 - up * scale, near];
  }

  /** The place under a point of the picture in the plane through a place that faces the eye. */
  facing(x: number, y: number, through: ArrayLike<number>): Vector {
    const [sx, sy, near] = this.seen(through),
      [right, up] = this.axes(),
      scale = this.pixels(near);
    const dx = (x - sx) / scale,
      dy = (sy - y) / scale;
    return [0, 1, 2].map((k) => (through[k] ?? 0) + dx * (right[k] ?? 0) + dy * (up[k] ?? 0)) as Vector;
  }
}
