import { put, svg } from "../../core/dom";
import { drag, handle, keys } from "../../core/handles";
import { fixed, shown } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import type { Point, Stage } from "../../core/stage";
import type { DriveRow } from "../../messages";

/** The tip: dragged, or moved by arrow keys (Shift: five times, Alt: a tenth), its place spoken. */
export function tipHandle(stage: Stage, puppet: Puppet): () => void {
  const made = handle(stage, "tip", "tip of the robot", 8);
  const at = (): number[] => {
    const tip = puppet.doc.told.scene?.tip;
    const pose = puppet.pose.value;
    return tip === null || tip === undefined ? pose.x.slice(0, 2) : (puppet.points(pose)[tip] ?? pose.x.slice(0, 2));
  };
  const planar = (): boolean => puppet.doc.told.x.length >= 2 && puppet.doc.told.x[1]?.unit === "m";
  const go = (to: Point): void => {
    const x = [...puppet.pose.value.x];
    x[0] = to[0];
    if (planar()) x[1] = to[1];
    puppet.moveTip(x);
  };
  const along = (which: 0 | 1): number => puppet.pose.value.x[which] ?? 0;
  drag(stage, made.group, at, go);
  keys(
    made.group,
    () => puppet.doc.told.size / 100,
    (dx, dy) => go([along(0) + dx, planar() ? along(1) + dy : 0]),
  );
  return () => {
    const { x } = puppet.pose.value;
    const words = puppet.doc.told.x.map((row, i) => {
      const { unit, factor } = shown(row.unit);
      return `${row.name} ${fixed((x[i] ?? 0) * factor, unit === "m" ? 3 : 1)} ${unit === "m" ? "metres" : "degrees"}`;
    });
    put(made.group, "aria-valuenow", (x[0] ?? 0).toFixed(4));
    put(made.group, "aria-valuetext", words.join(", "));
    made.place(stage.toScreen(at()));
  };
}

/** The angle of a plate: an arm from its origin. */
export function turnHandle(stage: Stage, puppet: Puppet): () => void {
  const made = handle(stage, "turn", "angle of the plate", 7);
  const arm = svg("line", { class: "arm" });
  made.group.prepend(arm);
  const reach = (): number => 70 / stage.pixelsPerMetre;
  const pose = (): [number, number, number] => puppet.pose.value.x.slice(0, 3) as [number, number, number];
  const at = (): Point => {
    const [x, y, phi] = pose();
    return [x + reach() * Math.cos(phi), y + reach() * Math.sin(phi)];
  };
  const turn = (phi: number): void => puppet.moveTip([...pose().slice(0, 2), phi]);
  drag(stage, made.group, at, (to) => {
    const [x, y, phi] = pose();
    const wanted = Math.atan2(to[1] - y, to[0] - x);
    turn(wanted + 2 * Math.PI * Math.round((phi - wanted) / (2 * Math.PI)));
  });
  keys(
    made.group,
    () => Math.PI / 180,
    (dx, dy) => turn(pose()[2] + dx + dy),
  );
  return () => {
    const [x, y, phi] = pose();
    const here = stage.toScreen(at()),
      origin = stage.toScreen([x, y]);
    put(arm, "x2", (origin[0] - here[0]).toFixed(1));
    put(arm, "y2", (origin[1] - here[1]).toFixed(1));
    const degrees = (phi * 180) / Math.PI;
    put(made.group, "aria-valuenow", degrees.toFixed(2));
    put(made.group, "aria-valuetext", `${degrees.toFixed(1)} degrees`);
    made.place(here);
  };
}

/** A drive: a slider's carriage, a crank's end, a telescope's tip. */
export function driveHandle(stage: Stage, puppet: Puppet, drive: DriveRow, i: number): () => void {
  const made = handle(stage, "drive", `drive ${drive.name}`, drive.kind === "telescope" ? 6 : 7);
  const value = (): number => puppet.pose.value.q[i] ?? 0;
  const rotary = drive.kind === "crank";
  const row = (): DriveRow => puppet.doc.told.scene?.drives[i] ?? drive;
  const at = (): number[] => {
    const points = puppet.points();
    const end = points[drive.point] ?? [0, 0];
    if (drive.kind !== "telescope" || drive.base === null) return end;
    const base = points[drive.base] ?? [0, 0]; // in the middle of the rod, clear of the plate's corner
    return [0, 1].map((k) => 0.4 * (base[k] ?? 0) + 0.6 * (end[k] ?? 0));
  };
  drag(stage, made.group, at, (to) => puppet.moveDrive(i, wanted(puppet, row(), value(), to)));
  keys(
    made.group,
    () => (rotary ? Math.PI / 180 : puppet.doc.told.size / 100),
    (dx, dy) => puppet.moveDrive(i, value() + dx + dy),
  );
  return () => {
    const { unit, factor } = shown(puppet.doc.told.q[i]?.unit ?? "");
    put(made.group, "aria-valuenow", value().toFixed(5));
    put(made.group, "aria-valuetext", `${drive.name} ${fixed(value() * factor, rotary ? 1 : 3)} ${unit === "°" ? "degrees" : "metres"}`);
    made.place(stage.toScreen(at()));
  };
}

/** The drive's value that brings its point nearest to a place. */
function wanted(puppet: Puppet, drive: DriveRow, now: number, to: Point): number {
  if (drive.kind === "slider" && drive.at && drive.along) {
    const [ax = 0, ay = 0] = drive.along,
      [x = 0, y = 0] = drive.at;
    return ((to[0] - x) * ax + (to[1] - y) * ay) / (ax * ax + ay * ay || 1);
  }
  if (drive.kind === "crank" && drive.at) {
    const [x = 0, y = 0] = drive.at;
    const points = puppet.points(),
      end = points[drive.point] ?? [1, 0];
    const offset = now - Math.atan2((end[1] ?? 0) - y, (end[0] ?? 0) - x); // zero and sense of the crank's angle
    const angle = Math.atan2(to[1] - y, to[0] - x) + offset;
    return angle + 2 * Math.PI * Math.round((now - angle) / (2 * Math.PI));
  }
  const base = drive.base === null ? [0, 0] : (puppet.points()[drive.base] ?? [0, 0]);
  return Math.max(1e-6, Math.hypot(to[0] - (base[0] ?? 0), to[1] - (base[1] ?? 0)) / 0.6);
}
