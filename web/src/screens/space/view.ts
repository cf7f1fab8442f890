import {
  AmbientLight, BufferGeometry, Color, DirectionalLight, GridHelper, Line, LineBasicMaterial, LineDashedMaterial, type Material, PerspectiveCamera, Raycaster,
  Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { el, oncePerFrame } from "../../core/dom";
import { colour, theme } from "../../core/theme";
import type { SceneRow } from "../../messages";
import { Body, vector, type BodyKind } from "./body";

/** Whether this browser draws in space. */
export function canDraw(): boolean {
  const canvas = document.createElement("canvas");
  return canvas.getContext("webgl2") !== null;
}

/** The drawing in space: z is up, the pointer turns it, the wheel zooms. */
export class SpaceView {
  readonly element: HTMLElement;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly render: () => void;
  private readonly renderer: WebGLRenderer;
  private readonly bodies = new Set<Body>();
  private readonly lines = new Map<string, Line>();
  private readonly observer: ResizeObserver;
  private readonly recolour: () => void;
  private grid: GridHelper | null = null;
  private floor = 0;
  private span = 1;
  private middle = new Vector3();

  constructor(label: string) {
    const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": `${label}; arrow keys turn the view, plus and minus zoom` });
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.element = el("div", { class: "space-view" }, canvas);
    this.render = oncePerFrame(() => this.renderer.render(this.scene, this.camera));
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", this.render);
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.set(1.5, -2, 3);
    this.scene.add(new AmbientLight(0xffffff, 1.4), sun);
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.element);
    this.recolour = theme.listen(() => this.restyle());
  }

  /** A robot of this scene; posts stand on the floor where the robot stands on it. */
  body(scene: SceneRow, kind: BodyKind, size: number, posts: boolean): Body {
    const made = new Body(this, scene, kind, size, posts ? this.floor : null);
    this.bodies.add(made);
    return made;
  }

  forget(body: Body): void {
    this.bodies.delete(body);
    this.render();
  }

  /** Look at a box of space, with the floor under it. */
  frame(low: number[], high: number[]): void {
    this.middle = new Vector3(...[0, 1, 2].map((k) => ((low[k] ?? 0) + (high[k] ?? 0)) / 2));
    this.span = Math.max(...[0, 1, 2].map((k) => (high[k] ?? 0) - (low[k] ?? 0)), 1e-3);
    this.floor = (low[2] ?? 0) - 0.04 * this.span;
    this.restyle();
    this.home();
  }

  /** The first view again. */
  home(): void {
    const away = 1.75 * this.span;
    this.camera.near = 0.01 * this.span;
    this.camera.far = 30 * this.span;
    this.camera.position.set(this.middle.x + 0.55 * away, this.middle.y - 0.82 * away, this.middle.z + 0.42 * away);
    this.controls.target.copy(this.middle);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.render();
  }

  /** A line through places, by name; none hides it. */
  line(name: string, points: number[][], paint: string, dashed = false): void {
    let line = this.lines.get(name);
    if (!line) {
      const material = dashed ? new LineDashedMaterial({ dashSize: 0.02 * this.span, gapSize: 0.015 * this.span }) : new LineBasicMaterial();
      line = new Line(new BufferGeometry(), material);
      line.frustumCulled = false;
      line.userData["paint"] = paint;
      this.lines.set(name, line);
      this.scene.add(line);
    }
    (line.material as LineBasicMaterial).color.set(new Color(colour(paint)));
    line.geometry.dispose();
    line.geometry = new BufferGeometry().setFromPoints(points.map(vector));
    line.visible = points.length > 1;
    if (dashed) line.computeLineDistances();
    this.render();
  }

  /** Where a place of space is on the element [px]. */
  toScreen(p: ArrayLike<number>): [number, number] {
    const seen = vector(p).project(this.camera);
    return [((seen.x + 1) / 2) * this.element.clientWidth, ((1 - seen.y) / 2) * this.element.clientHeight];
  }

  /** Where the pointer's ray meets the plane through a place, facing the camera. */
  facing(event: PointerEvent, through: ArrayLike<number>): number[] {
    const box = this.element.getBoundingClientRect();
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.camera);
    const normal = this.camera.getWorldDirection(new Vector3());
    const origin = caster.ray.origin, along = caster.ray.direction;
    const s = vector(through).sub(origin).dot(normal) / along.dot(normal);
    return origin.clone().addScaledVector(along, s).toArray();
  }

  dispose(): void {
    this.observer.disconnect();
    this.recolour();
    this.controls.dispose();
    for (const body of [...this.bodies]) body.remove();
    for (const line of this.lines.values()) line.geometry.dispose();
    this.renderer.dispose();
  }

  private restyle(): void {
    if (this.grid) {
      this.scene.remove(this.grid);
      this.grid.geometry.dispose();
      (this.grid.material as Material).dispose();
    }
    this.grid = new GridHelper(2.4 * this.span, 12, new Color(colour("edge")), new Color(colour("line")));
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.set(this.middle.x, this.middle.y, this.floor);
    this.scene.add(this.grid);
    for (const body of this.bodies) body.recolour();
    for (const line of this.lines.values()) (line.material as LineBasicMaterial).color.set(new Color(colour(String(line.userData["paint"]))));
    this.render();
  }

  private key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const turn = turns[event.key];
    const away = this.camera.position.clone().sub(this.controls.target);
    if (turn) {
      const around = Math.atan2(away.y, away.x) + 0.08 * turn[0], radius = away.length();
      const height = Math.min(1.5, Math.max(-0.4, Math.asin(away.z / radius) + 0.06 * turn[1]));
      away.set(Math.cos(around) * Math.cos(height), Math.sin(around) * Math.cos(height), Math.sin(height)).multiplyScalar(radius);
    } else if (event.key === "+" || event.key === "-") away.multiplyScalar(event.key === "+" ? 0.9 : 1.1);
    else return;
    event.preventDefault();
    this.camera.position.copy(this.controls.target).add(away);
    this.controls.update();
    this.render();
  }

  private resized(): void {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.render();
  }
}
