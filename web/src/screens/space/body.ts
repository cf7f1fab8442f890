import { BufferGeometry, Color, CylinderGeometry, DoubleSide, Float32BufferAttribute, Group, Mesh, MeshStandardMaterial, SphereGeometry, Vector3 } from "three";
import { colour } from "../../core/theme";
import type { PartRow, SceneRow } from "../../messages";
import type { SpaceView } from "./view";

type Points = ArrayLike<ArrayLike<number>>;
export type BodyKind = "robot" | "reference" | "other";
const UP = new Vector3(0, 1, 0); // of three's cylinders

export const vector = (p: ArrayLike<number> | undefined): Vector3 => new Vector3(p?.[0] ?? 0, p?.[1] ?? 0, p?.[2] ?? 0);

/** A robot in space: cylinders for bars, spheres for joints, plates, posts to the ground. */
export class Body {
  readonly group = new Group();
  private readonly draws: ((at: (i: number) => Vector3) => void)[] = [];
  private readonly paints: [MeshStandardMaterial, string][] = [];

  constructor(
    private readonly view: SpaceView,
    private readonly scene: SceneRow,
    readonly kind: BodyKind,
    private readonly size: number,
    private readonly floor: number | null, // where posts stand; null: none
  ) {
    for (const part of scene.parts) this.part(part);
    this.joints();
    view.scene.add(this.group);
    this.recolour();
  }

  show(points: Points): void {
    const at = (i: number): Vector3 => vector(points[i]);
    for (const draw of this.draws) draw(at);
    this.group.visible = true;
    this.view.render();
  }

  hide(): void {
    this.group.visible = false;
    this.view.render();
  }

  remove(): void {
    this.view.scene.remove(this.group);
    this.group.traverse((object) => object instanceof Mesh && (object.geometry as BufferGeometry).dispose());
    for (const [material] of this.paints) material.dispose();
    this.view.forget(this);
  }

  recolour(): void {
    for (const [material, name] of this.paints) {
      const own = this.kind === "robot" ? name : this.kind === "reference" ? "ghost" : "type2";
      material.color.set(new Color(colour(own)));
    }
  }

  private paint(name: string, opacity = 1): MeshStandardMaterial {
    const faint = this.kind === "robot" ? opacity : 0.35 * opacity;
    const made = new MeshStandardMaterial({ roughness: 0.45, metalness: 0.1, transparent: faint < 1, opacity: faint, side: DoubleSide, depthWrite: faint === 1 });
    this.paints.push([made, name]);
    return made;
  }

  private rod(from: number, to: number, radius: number, paint: string): void {
    const mesh = new Mesh(new CylinderGeometry(radius, radius, 1, 24), this.paint(paint));
    this.group.add(mesh);
    this.draws.push((at) => stretch(mesh, at(from), at(to)));
  }

  private part(part: PartRow): void {
    const r = this.size * 0.014;
    const [a = 0, b = 0] = part.points;
    if (part.kind === "bar") this.rod(a, b, r * 0.8, "bar");
    else if (part.kind === "crank" || part.kind === "telescope") this.rod(a, b, r * 1.3, "drive");
    else if (part.kind === "spring" || part.kind === "damper") this.rod(a, b, r * 0.4, "soft");
    else if (part.kind === "plate" || part.kind === "base") this.plate(part);
    else if (part.kind === "ground" && this.kind === "robot") this.ground(a);
  }

  private plate(part: PartRow): void {
    const geometry = new BufferGeometry();
    const count = part.points.length;
    geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(3 * count), 3));
    geometry.setIndex(Array.from({ length: Math.max(count - 2, 0) }, (_, k) => [0, k + 1, k + 2]).flat());
    const mesh = new Mesh(geometry, this.paint(part.kind === "base" ? "ghost" : "plate", part.kind === "base" ? 0.35 : 0.75));
    mesh.frustumCulled = false;
    this.group.add(mesh);
    const place = geometry.getAttribute("position");
    this.draws.push((at) => {
      part.points.forEach((i, k) => place.setXYZ(k, ...at(i).toArray()));
      place.needsUpdate = true;
      geometry.computeVertexNormals();
    });
  }

  private ground(i: number): void {
    const r = this.size * 0.035, floor = this.floor;
    const drum = new Mesh(new CylinderGeometry(r, r, this.size * 0.05, 32), this.paint("edge"));
    drum.rotation.x = Math.PI / 2;
    this.group.add(drum);
    this.draws.push((at) => drum.position.copy(at(i)));
    if (floor === null) return;
    const post = new Mesh(new CylinderGeometry(r * 0.7, r * 1.1, 1, 32), this.paint("edge"));
    this.group.add(post);
    this.draws.push((at) => stretch(post, at(i).setZ(floor), at(i)));
  }

  private joints(): void {
    const kinds = ["bar", "crank", "telescope", "plate"];
    const ends = new Set(this.scene.parts.filter((p) => kinds.includes(p.kind)).flatMap((p) => p.points));
    if (this.scene.tip !== null) ends.add(this.scene.tip);
    for (const i of ends) {
      const tip = i === this.scene.tip;
      const mesh = new Mesh(new SphereGeometry(this.size * (tip ? 0.03 : 0.02), 24, 16), this.paint(tip ? "tip" : "ink"));
      this.group.add(mesh);
      this.draws.push((at) => mesh.position.copy(at(i)));
    }
  }
}

/** Put a cylinder of length 1 between two places. */
function stretch(mesh: Mesh, a: Vector3, b: Vector3): void {
  const way = b.clone().sub(a);
  const long = Math.max(way.length(), 1e-9);
  mesh.position.copy(a).addScaledVector(way, 0.5);
  mesh.scale.set(1, long, 1);
  mesh.quaternion.setFromUnitVectors(UP, way.divideScalar(long));
}
