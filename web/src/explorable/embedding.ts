import { oncePerFrame } from "../core/dom";
import type { Puppet } from "../core/puppet";
import type { OfflineApp } from "./offline";

/** What the page around this one may ask: a place of the output or of the drives, values of parameters. */
interface Asked {
  closedchain?: string;
  x?: number[];
  q?: number[];
  values?: Record<string, number>;
}

const numbers = (given: unknown, count: number): given is number[] => Array.isArray(given) && given.length === count && given.every(Number.isFinite);

/** Inside another page, a notebook's cell say: tells it every pose, and goes where it asks. */
export function embed(app: OfflineApp, puppet: Puppet): void {
  if (window.parent === window) return;
  const tell = oncePerFrame(() => {
    const { q, x, working, assembly } = puppet.pose.value;
    window.parent.postMessage({ closedchain: "pose", q, x, working, assembly, values: app.changed }, "*");
  });
  puppet.pose.follow(tell);
  app.robot.listen(tell);
  window.addEventListener("message", ({ source, data }: MessageEvent<Asked | null>) => {
    if (source !== window.parent || data?.closedchain !== "go") return;
    if (data.values && Object.values(data.values).every(Number.isFinite)) app.change(data.values);
    if (numbers(data.x, puppet.pose.value.x.length)) puppet.moveTip(data.x);
    if (numbers(data.q, puppet.pose.value.q.length)) data.q.forEach((value, i) => puppet.moveDrive(i, value));
    tell();
  });
}
