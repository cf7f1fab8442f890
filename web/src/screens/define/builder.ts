import type { App } from "../../core/app";
import { el, put, say, svg } from "../../core/dom";
import { pointHandle } from "../../core/handles";
import { length, roundStep } from "../../core/numbers";
import type { Point, Stage, Window } from "../../core/stage";
import { button, segmented, select } from "../../core/widgets";
import type { DefineAnswer, SketchDrive, SketchRow } from "../../messages";
import { photoTools } from "./photo";
import { BLANK, pair, withKey, without, withPoint, withTable, withValue, written } from "./toml";

export const TOOLS = ["move", "ground", "joint", "bar", "crank", "slider", "telescope", "plate", "pin", "rail", "tip", "remove"] as const;
export type Tool = (typeof TOOLS)[number];

const HOW: Record<Tool, string> = {
  move: "drag a point: lengths follow it",
  ground: "press where a fixed joint is to be",
  joint: "press where a free joint is to be",
  bar: "drag from one point to another; in the empty plane it makes a joint",
  crank: "drag from the centre to the end of the arm",
  slider: "press where it begins and drag along its line",
  telescope: "drag from its base to its tip",
  plate: "press each corner, then the first one again",
  pin: "drag from one point to the one that it is to be held to",
  rail: "drag from the point that is to slide to the one that its line goes through",
  tip: "press the joint or the plate that the robot moves",
  remove: "press what is to go",
};
const DRAGGED: readonly Tool[] = ["bar", "crank", "slider", "telescope", "pin", "rail"]; // from one place to another
const NEAR = 16,
  LINE = 9; // [px] from a point, from a bar
export const EMPTY: Window = [-0.5, 0.5, -0.3, 0.6]; // where nothing is drawn yet [m]
const MASS = 0.1; // [kg] of what is drawn
const DIRECTION = Math.PI / 12; // a slider's line is a multiple of it

/** A place on the stage: an existing point, or numbers. */
interface Place {
  name: string | null;
  at: Point;
}

/** Builds a mechanism on the stage: each move of the hand is a change of the text, which stays the one description. */
export class Builder {
  readonly tools: HTMLElement;
  readonly form: HTMLElement;
  tool: Tool = "move";
  private sketch: SketchRow | null = null;
  private points = new Map<string, Point>();
  private handles: { name: string; handle: ReturnType<typeof pointHandle> }[] = [];
  private corners: Point[] = [];
  private from: Place | null = null;
  private asked: string | null = null; // a text that was written here, until it is understood
  private waiting: (() => void)[] = []; // moves of the hand since
  private readonly group = svg("g", { class: "linkage robot building" });
  private readonly marks = svg("g", { class: "axes-marks" });
  private readonly band = svg("path", { class: "mark line" });
  private readonly words = el("p", { class: "mobility", role: "status" });
  private readonly choice: ReturnType<typeof segmented<Tool>>;
  private readonly off: () => void;

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    private readonly text: () => string,
    private readonly write: (text: string) => void,
  ) {
    stage.layers.under.append(this.marks);
    stage.layers.robot.append(this.group);
    stage.layers.marks.append(this.band);
    this.choice = segmented<Tool>({ label: "Build", values: TOOLS, value: "move", title: (tool) => HOW[tool], choose: (tool) => this.choose(tool) });
    const blank = button("New", () => (stage.fit(EMPTY), this.write(BLANK)), "quiet", "an empty file to begin with; Undo brings this one back");
    const photo = photoTools(app, stage);
    this.tools = el(
      "div",
      { class: "build-row", role: "group", "aria-label": "build by hand" },
      this.choice.element,
      el("div", { class: "row said" }, this.words, photo.element, blank),
    );
    this.form = this.typed();
    const offs = [stage.onView(() => this.draw()), photo.dispose];
    this.off = () => offs.forEach((off) => off());
    this.listen();
  }

  dispose(): void {
    this.off();
  }

  /** What the text draws now; null: nothing that can be built on. */
  show(answer: DefineAnswer, text: string): void {
    if (this.asked !== null && text !== this.asked) return; // an older one
    this.asked = null;
    if (!answer.sketch && !answer.robot) return; // no TOML: the last drawing stays
    this.sketch = answer.robot?.dimension === 3 ? null : answer.sketch;
    if (this.sketch) this.points = this.places(this.sketch, answer);
    const { sketch } = this;
    say(
      this.words,
      sketch ? `Mobility ${sketch.mobility}, ${sketch.drives.length} ${sketch.drives.length === 1 ? "drive" : "drives"}${sketch.next ? `: ${sketch.next}.` : ": complete."}` : "",
    );
    this.words.className = `mobility ${sketch && !sketch.next ? "good" : ""}`;
    this.grip();
    this.draw();
    while (this.asked === null && this.waiting.length) this.waiting.shift()?.();
  }

  /** Make a move when the last one is understood. */
  private soon(move: () => void): void {
    if (this.asked === null) move();
    else this.waiting.push(move);
  }

  // Where everything is -----------------------------------------------------------------------

  /** Each point where it was drawn, if its bars allow that, or where the robot would begin. */
  private places(sketch: SketchRow, { robot }: DefineAnswer): Map<string, Point> {
    const start = new Map((robot?.scene?.names ?? []).map((name, i) => [name, robot?.start.points[i] as Point]));
    const drawn = this.app.setting<Record<string, Point>>("places", {});
    const guess = new Map<string, Point>();
    for (const { name, at } of sketch.points) guess.set(name, (at as Point | null) ?? drawn[name] ?? start.get(name) ?? [0, 0]);
    for (const { point, at, radius, kind } of sketch.drives) {
      if (kind === "telescope") continue;
      guess.set(point, drawn[point] ?? start.get(point) ?? [(at?.[0] ?? 0) + (radius ?? 0), at?.[1] ?? 0]);
    }
    for (const plate of sketch.plates) {
      const [x = 0, y = 0, turn = 0] = plate.near ?? [];
      for (const { name, at } of plate.points) {
        const [a = 0, b = 0] = at ?? [];
        guess.set(name, start.get(name) && !plate.near ? (start.get(name) as Point) : [x + Math.cos(turn) * a - Math.sin(turn) * b, y + Math.sin(turn) * a + Math.cos(turn) * b]);
      }
    }
    const far = (a: Point | undefined, b: Point | undefined): number => Math.hypot((a?.[0] ?? 0) - (b?.[0] ?? 0), (a?.[1] ?? 0) - (b?.[1] ?? 0));
    const size = robot?.size ?? 1;
    const holds =
      sketch.bars.every((bar) => bar.length === null || Math.abs(far(guess.get(bar.a), guess.get(bar.b)) - bar.length) < 2e-3 * size) &&
      sketch.drives.every(
        (drive) => drive.kind !== "crank" || drive.radius === null || Math.abs(far(guess.get(drive.point), this.centre(drive, guess)) - drive.radius) < 2e-3 * size,
      );
    return holds || !start.size ? guess : new Map([...guess].map(([name, at]) => [name, start.get(name) ?? at]));
  }

  private centre(drive: SketchDrive, points = this.points): Point {
    return (drive.pivot ? points.get(drive.pivot) : (drive.at as Point | null)) ?? [0, 0];
  }

  private at(event: { clientX: number; clientY: number }): Place {
    const [x, y] = this.stage.at(event),
      scale = this.stage.pixelsPerMetre;
    const near = [...this.points]
      .map(([name, at]) => ({ name, at, far: Math.hypot(at[0] - x, at[1] - y) * scale }))
      .filter(({ far }) => far < NEAR)
      .sort((a, b) => a.far - b.far)[0];
    return near ? { name: near.name, at: near.at } : { name: null, at: this.snapped([x, y]) };
  }

  /** On the grid that the eye divides the drawn one into. */
  private snapped([x, y]: Point): Point {
    const step = roundStep(110 / this.stage.pixelsPerMetre) / 10;
    return [Math.round(x / step) * step, Math.round(y / step) * step];
  }

  // The hand -----------------------------------------------------------------------------------

  private choose(tool: Tool): void {
    this.tool = tool;
    this.corners = [];
    this.from = null;
    this.choice.show(tool);
    this.stage.element.classList.toggle("drawing", tool !== "move");
    this.grip();
    this.draw();
  }

  private listen(): void {
    this.stage.svg.addEventListener(
      "pointerdown",
      (event) => {
        if (this.tool === "move" || event.button !== 0 || (event.target as Element).closest(".zoom")) return;
        event.stopImmediatePropagation();
        event.preventDefault();
        this.from = this.at(event);
        this.stage.svg.setPointerCapture(event.pointerId);
      },
      { capture: true },
    );
    this.stage.svg.addEventListener("pointermove", (event) => {
      if (!this.from || this.tool === "plate") return;
      put(this.band, "d", DRAGGED.includes(this.tool) ? this.stage.path([this.from.at, this.at(event).at]) : "");
    });
    this.stage.svg.addEventListener("pointerup", (event) => {
      const { from } = this;
      if (!from) return;
      this.from = null;
      put(this.band, "d", "");
      const { tool } = this,
        to = this.at(event);
      this.soon(() => this.add(tool, from, to));
    });
  }

  /** Make what a tool makes between two places; each is one change of the text. */
  add(tool: Tool, a: Place, b: Place): void {
    if (tool === "ground" || tool === "joint") this.keep(this.made(this.text(), tool === "ground" ? "fixed" : "free", a)[0]);
    else if (tool === "plate") this.corner(a);
    else if (tool === "tip") this.tip(a);
    else if (tool === "remove") this.remove(a);
    else if (Math.hypot(b.at[0] - a.at[0], b.at[1] - a.at[1]) < 1e-9) this.app.toast(`A ${tool}: ${HOW[tool]}.`);
    else if (tool === "bar") this.bar(a, b);
    else if (tool === "crank") this.crank(a, b);
    else if (tool === "slider") this.slider(a, b);
    else if (tool === "telescope") this.telescope(a, b);
    else if (tool === "pin" || tool === "rail") this.held(tool, a, b);
  }

  private bar(a: Place, b: Place): void {
    const [first, from] = this.made(this.text(), "free", a),
      [text, to] = this.made(first, "free", b);
    if (from === to) return;
    this.keep(withTable(text, "[[bars]]", `between = ["${from}", "${to}"]`, `length = ${written(this.far(from, to))}`));
  }

  private crank(a: Place, b: Place): void {
    if (b.name) return this.app.toast("A crank carries a point of its own: end it in the empty plane, then draw a bar from there.");
    const fixed = a.name && this.sketch?.points.some(({ name, kind }) => name === a.name && kind === "fixed");
    const [drive, point] = [this.free("q"), this.free("A")],
      radius = Math.hypot(b.at[0] - a.at[0], b.at[1] - a.at[1]);
    this.points.set(point, b.at);
    this.keep(
      withTable(this.text(), `[drives.${drive}]`, `crank = { about = ${fixed ? `"${a.name}"` : pair(a.at)}, radius = ${written(radius)} }`, `mass = ${MASS}`, `point = "${point}"`),
    );
  }

  private slider(a: Place, b: Place): void {
    const turn = Math.round(Math.atan2(b.at[1] - a.at[1], b.at[0] - a.at[0]) / DIRECTION) * DIRECTION;
    const [drive, point] = [this.free("q"), this.free("A")];
    this.points.set(point, a.at);
    const along = [Math.cos(turn), Math.sin(turn)].map((v) => String(Number(v.toFixed(12))));
    this.keep(withTable(this.text(), `[drives.${drive}]`, `slider = { at = ${pair(a.at)}, along = [${along.join(", ")}] }`, `mass = ${MASS}`, `point = "${point}"`));
  }

  private telescope(a: Place, b: Place): void {
    const [first, base] = this.made(this.text(), "fixed", a),
      [text, tip] = this.made(first, "free", b);
    this.keep(withTable(text, `[drives.${this.free("q")}]`, `telescope = { base = "${base}", tip = "${tip}" }`));
  }

  /** Two points that are one, or a point on the line to another. */
  private held(tool: "pin" | "rail", { name: from, at }: Place, { name: to, at: end }: Place): void {
    if (!from || !to || from === to) return this.app.toast(`A ${tool}: ${HOW[tool]}; both are there already.`);
    const far = Math.hypot(end[0] - at[0], end[1] - at[1]),
      along = [0, 1].map((k) => String(Number((((end[k] ?? 0) - (at[k] ?? 0)) / far).toFixed(12))));
    const rows = tool === "pin" ? [`between = ["${from}", "${to}"]`] : [`point = "${from}"`, `through = "${to}"`, `along = [${along.join(", ")}]`];
    this.keep(withTable(this.text(), `[[${tool}s]]`, ...rows));
  }

  private corner({ at }: Place): void {
    const [first] = this.corners,
      scale = this.stage.pixelsPerMetre;
    const closes = first !== undefined && this.corners.length > 1 && Math.hypot(at[0] - first[0], at[1] - first[1]) * scale < NEAR;
    if (!closes) this.corners.push(at);
    else this.plate(this.corners.splice(0));
    this.draw();
  }

  private plate(corners: Point[]): void {
    const [origin] = corners;
    if (!origin) return;
    const names = corners.map((at) => {
      const name = this.free("P");
      this.points.set(name, at);
      return name;
    });
    const rows = corners.map((at, i) => `${names[i]} = ${pair([at[0] - origin[0], at[1] - origin[1]])}`);
    const middle: Point = [0, 1].map((k) => corners.reduce((sum, at) => sum + (at[k] ?? 0) - (origin[k] ?? 0), 0) / corners.length) as Point;
    const head = `[plates.${this.free("plate")}]`;
    const spin = corners.reduce((most, at) => Math.max(most, Math.hypot(at[0] - origin[0] - middle[0], at[1] - origin[1] - middle[1])), 0);
    this.keep(
      withTable(
        this.text(),
        head,
        `mass = ${MASS}`,
        `inertia = ${Number((0.5 * MASS * spin * spin).toPrecision(3))}`,
        `centre = ${pair(middle)}`,
        `near = [${written(origin[0])}, ${written(origin[1])}, 0]`,
        `points = { ${rows.join(", ")} }`,
      ),
    );
  }

  private tip({ name }: Place): void {
    const plate = this.sketch?.plates.find((one) => one.points.some((point) => point.name === name));
    const free = this.sketch?.points.some((point) => point.name === name && point.kind === "free");
    if (plate || free) this.keep(withKey(this.text(), "output", `"${plate?.name ?? name}"`));
    else this.app.toast("The tip is a free joint or a plate.");
  }

  private remove({ name, at }: Place): void {
    const { sketch } = this;
    if (!sketch) return;
    let text = this.text();
    if (!name) {
      const near = sketch.bars.findIndex((bar) => this.beside(at, bar.a, bar.b));
      if (near >= 0) this.keep(without(text, `bars[${near}]`));
      return;
    }
    const plate = sketch.plates.find((one) => one.points.some((point) => point.name === name));
    const gone = new Set(plate ? plate.points.map((point) => point.name) : [name]);
    sketch.bars
      .map((bar, i) => (gone.has(bar.a) || gone.has(bar.b) ? i : -1))
      .filter((i) => i >= 0)
      .reverse()
      .forEach((i) => (text = without(text, `bars[${i}]`)));
    for (const drive of sketch.drives)
      if (gone.has(drive.point) || gone.has(drive.base) || gone.has(drive.tip) || gone.has(drive.pivot)) text = without(text, `drives.${drive.name}`);
    this.keep(without(text, plate ? `plates.${plate.name}` : `points.${name}`));
  }

  private beside(at: Point, a: string, b: string): boolean {
    const [p, q] = [this.points.get(a) ?? [0, 0], this.points.get(b) ?? [0, 0]],
      [dx, dy] = [q[0] - p[0], q[1] - p[1]];
    const s = Math.max(0, Math.min(1, ((at[0] - p[0]) * dx + (at[1] - p[1]) * dy) / (dx * dx + dy * dy || 1)));
    return Math.hypot(p[0] + s * dx - at[0], p[1] + s * dy - at[1]) * this.stage.pixelsPerMetre < LINE;
  }

  /** The text with a point at a place, and its name; an existing one is taken as it is. */
  private made(text: string, kind: "fixed" | "free", { name, at }: Place): [string, string] {
    if (name) return [text, name];
    const fresh = this.free(kind === "fixed" ? "O" : "C");
    this.points.set(fresh, at);
    return [withPoint(text, fresh, kind === "fixed" ? `fixed = ${pair(at)}` : `free = true, mass = ${MASS}, near = ${pair(at)}`), fresh];
  }

  /** A name with this letter that nothing has. */
  private free(letter: string): string {
    const taken = new Set([...this.points.keys(), ...(this.sketch?.drives ?? []).map(({ name }) => name), ...(this.sketch?.plates ?? []).map(({ name }) => name)]);
    for (let k = 1; ; k++) if (!taken.has(`${letter}${k}`)) return `${letter}${k}`;
  }

  private far(a: string, b: string): number {
    const [p, q] = [this.points.get(a) ?? [0, 0], this.points.get(b) ?? [0, 0]];
    return Math.hypot(p[0] - q[0], p[1] - q[1]);
  }

  private keep(text: string): void {
    this.app.keep("places", Object.fromEntries([...this.points].map(([name, at]) => [name, at.map((v) => Number(v.toFixed(6)))])));
    if (text === this.text()) return;
    this.asked = text;
    this.write(text);
  }

  // Moving what is there ----------------------------------------------------------------------

  /** A handle on every point; only with the tool that moves them. */
  private grip(): void {
    const on = this.tool === "move" ? this.sketch : null;
    const points = on ? [...this.points.keys()].filter((name) => this.known(name) && this.movable(name)) : [];
    const centres = (on?.drives ?? []).filter(({ kind, pivot }) => kind === "crank" && !pivot).map(({ name }) => name);
    const labels = [...points.map((name) => `point ${name}`), ...centres.map((name) => `centre of ${name}`)];
    if (labels.join() === this.handles.map(({ name }) => name).join()) return;
    for (const { handle } of this.handles) handle.remove();
    const step = (): number => roundStep(110 / this.stage.pixelsPerMetre) / 10;
    const grip = (name: string, at: () => Point, move: (to: Point) => void) => ({
      name,
      handle: pointHandle(this.stage, { kind: "built", label: name, letter: "", at, move, step }),
    });
    this.handles = [
      ...points.map((name, i) =>
        grip(
          labels[i] ?? "",
          () => this.points.get(name) ?? [0, 0],
          (to) => this.move(name, to),
        ),
      ),
      ...centres.map((name, i) =>
        grip(
          labels[points.length + i] ?? "",
          () => this.middle(name),
          (to) => this.recentre(name, to),
        ),
      ),
    ];
  }

  private middle(name: string): Point {
    const drive = this.sketch?.drives.find((one) => one.name === name);
    return drive ? this.centre(drive) : [0, 0];
  }

  /** Put a crank's centre elsewhere: its arm stays long as it ends where it ended. */
  private recentre(name: string, to: Point): void {
    const drive = this.sketch?.drives.find((one) => one.name === name),
      at = this.snapped(to);
    if (!drive || at.every((v, i) => v === drive.at?.[i])) return;
    drive.at = at;
    const end = this.points.get(drive.point) ?? at,
      radius = Math.hypot(end[0] - at[0], end[1] - at[1]);
    this.keep(withValue(withValue(this.text(), `drives.${name}`, "about", pair(at)), `drives.${name}`, "radius", written(radius)));
    this.draw();
  }

  private movable(name: string): boolean {
    return !this.sketch?.plates.some((plate) => plate.points.some((point) => point.name === name));
  }

  /** Put a point elsewhere: the lengths that end there follow. */
  private move(name: string, to: Point): void {
    const { sketch } = this;
    if (!sketch) return;
    const at = this.snapped(to);
    const before = this.points.get(name) ?? at;
    if (at.every((v, i) => v === before[i])) return;
    this.points.set(name, at);
    let text = this.text();
    const point = sketch.points.find((one) => one.name === name),
      drive = sketch.drives.find((one) => one.point === name && one.kind !== "telescope");
    if (point) text = withValue(text, `points.${name}`, point.kind === "fixed" ? "fixed" : "near", pair(at));
    if (drive?.kind === "slider") text = withValue(text, `drives.${drive.name}`, "at", pair([(drive.at?.[0] ?? 0) + at[0] - before[0], (drive.at?.[1] ?? 0) + at[1] - before[1]]));
    for (const one of sketch.drives) {
      if (one.kind !== "crank" || (one.point !== name && one.pivot !== name)) continue;
      const centre = this.centre(one),
        end = this.points.get(one.point) ?? centre;
      text = withValue(text, `drives.${one.name}`, "radius", written(Math.hypot(end[0] - centre[0], end[1] - centre[1])));
    }
    sketch.bars.forEach((bar, i) => {
      if (bar.a === name || bar.b === name) text = withValue(text, `bars[${i}]`, "length", written(this.far(bar.a, bar.b)));
    });
    this.keep(text);
    this.draw();
  }

  // What is drawn ------------------------------------------------------------------------------

  private draw(): void {
    const { sketch, stage } = this;
    const at = (name: string): Point => stage.toScreen(this.points.get(name) ?? [0, 0]);
    const line = (kind: string, wide: number, a: Point, b: Point): SVGElement => svg("path", { class: `link ${kind}`, "stroke-width": wide, d: `M${a.join(" ")}L${b.join(" ")}` });
    const made: SVGElement[] = [];
    for (const { a, b, length: long } of sketch?.bars ?? []) {
      const [p, q] = [at(a), at(b)];
      made.push(line("bar", 6, p, q), svg("text", { class: "stage-label dimension", x: (p[0] + q[0]) / 2 + 8, y: (p[1] + q[1]) / 2 - 8 }, length(long)));
    }
    for (const drive of sketch?.drives ?? []) {
      if (drive.kind === "crank") made.push(stand(stage.toScreen(this.centre(drive))), line("crank", 9, stage.toScreen(this.centre(drive)), at(drive.point)));
      else if (drive.kind === "telescope") made.push(line("telescope", 5, at(drive.base), at(drive.tip)));
      else made.push(line("rail", 2, ...this.rail(drive)), this.carriage(drive));
    }
    for (const plate of sketch?.plates ?? []) made.push(svg("polygon", { class: "plate", points: plate.points.map((point) => at(point.name).join(",")).join(" ") }));
    for (const [name] of this.points) {
      if (!this.known(name)) continue;
      const [x, y] = at(name),
        fixed = sketch?.points.some((point) => point.name === name && point.kind === "fixed");
      if (fixed) made.push(stand([x, y]));
      made.push(
        svg("circle", { class: `joint ${fixed ? "ground" : ""} ${sketch?.output === name ? "output" : ""}`, cx: x, cy: y, r: 6 }),
        svg("text", { class: "stage-label", x: x + 10, y: y + 18 }, name),
      );
    }
    if (this.corners.length) made.push(svg("path", { class: "mark line", d: stage.path(this.corners) }));
    this.group.replaceChildren(...made);
    for (const { handle } of this.handles) handle.draw();
    const [ox, oy] = stage.toScreen([0, 0]);
    this.marks.replaceChildren(
      svg("path", { d: `M${ox} ${oy}h60m-6 -4l6 4l-6 4M${ox} ${oy}v-60m-4 6l4 -6l4 6` }),
      svg("text", { class: "stage-label", x: ox + 66, y: oy + 4 }, "x"),
      svg("text", { class: "stage-label", x: ox - 4, y: oy - 66 }, "y"),
    );
  }

  private known(name: string): boolean {
    const { sketch } = this;
    return (
      sketch !== null &&
      (sketch.points.some((point) => point.name === name) ||
        sketch.drives.some((drive) => drive.point === name && drive.kind !== "telescope") ||
        sketch.plates.some((plate) => plate.points.some((point) => point.name === name)))
    );
  }

  private rail({ at, along, point }: SketchDrive): [Point, Point] {
    const [x = 0, y = 0] = at ?? [],
      [ux = 0, uy = 1] = along ?? [],
      room = 60 / this.stage.pixelsPerMetre;
    const [px, py] = this.points.get(point) ?? [x, y],
      s = (px - x) * ux + (py - y) * uy;
    const end = (v: number): Point => this.stage.toScreen([x + v * ux, y + v * uy]);
    return [end(Math.min(0, s) - room), end(Math.max(0, s) + room)];
  }

  private carriage({ point, along }: SketchDrive): SVGElement {
    const [x, y] = this.stage.toScreen(this.points.get(point) ?? [0, 0]),
      turn = (-Math.atan2(along?.[1] ?? 1, along?.[0] ?? 0) * 180) / Math.PI;
    return svg("rect", { class: "carriage", x: -17, y: -10, width: 34, height: 20, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn.toFixed(2)})` });
  }

  // By keys ------------------------------------------------------------------------------------

  /** The same tools with places that are typed: a point's name, or x y in metres. */
  private typed(): HTMLElement {
    let tool: Tool = "crank";
    const field = (label: string, hint: string): HTMLInputElement =>
      el("input", { type: "text", "aria-label": label, placeholder: hint, size: 9, autocomplete: "off", spellcheck: "false" });
    const from = field("from", "0 0 or O1"),
      to = field("to", "0.1 0.1 or A1");
    const kind = select({
      label: "Add",
      values: TOOLS.filter((one) => one !== "move"),
      value: tool,
      choose: (value) => ((tool = value), (to.hidden = !DRAGGED.includes(value))),
    });
    const add = (): void => {
      const places = (tool === "plate" ? from.value.split(";") : [from.value, to.value || from.value]).map((text) => this.named(text));
      if (places.some((place) => place === null)) return this.app.toast("A place is a point's name, or two numbers: 0.1 0.2. A plate's corners stand between semicolons.", "error");
      const [a, b] = places as [Place, Place];
      this.soon(() => (tool === "plate" ? this.plate((places as Place[]).map(({ at }) => at)) : this.add(tool, a, b)));
    };
    for (const input of [from, to]) input.addEventListener("keydown", (event) => event.key === "Enter" && add());
    return el("div", { class: "row build-form", role: "group", "aria-label": "add by numbers" }, kind.element, from, to, button("Add", add));
  }

  private named(text: string): Place | null {
    const name = text.trim(),
      known = this.points.get(name);
    if (known && this.known(name)) return { name, at: known };
    const numbers = name
      .replaceAll("−", "-")
      .split(/[\s,]+/)
      .map(Number);
    return numbers.length === 2 && numbers.every(Number.isFinite) ? { name: null, at: numbers as Point } : null;
  }
}

/** The sign of a joint that the ground holds. */
const stand = ([x, y]: Point): SVGElement => svg("polygon", { class: "stand", points: `${x},${y} ${x - 12},${y + 20} ${x + 12},${y + 20}` });
