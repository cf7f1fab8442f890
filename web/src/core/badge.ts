import type { StudioApp } from "./app";
import { el, say } from "./dom";
import { tell } from "./numbers";
import { digest, type Verdict, verified } from "./verified";

/** Whether exactly this robot was compared with an independent engine here, and what that found; it leads to Verify. */
export function badge(app: StudioApp): HTMLElement {
  const first = el("strong", {}),
    second = el("span", {});
  const link = el("a", { class: "badge", href: "#", onclick: (event: MouseEvent) => (event.preventDefault(), app.go("verify")) }, first, " ", second);
  const show = (): void => {
    const held = verified.value[digest(app.robot.value, app.hello.value.version)] ?? {};
    const told = words(Object.values(held));
    say(first, told.short);
    say(second, told.against);
    link.className = `badge ${told.state}`;
    link.title = told.whole; // its description; the name is what is seen
  };
  app.robot.follow(show);
  app.hello.listen(show);
  verified.listen(show);
  return link;
}

/** The verdict in two short lines and in sentences; it tells of what was run and of nothing else. */
function words(all: Verdict[]): { state: string; short: string; against: string; whole: string } {
  const last = "Open Verify for the table.";
  if (!all.length)
    return {
      state: "",
      short: "not verified here",
      against: "compare it ›",
      whole: "This robot with these values was not compared with another engine here. Open Verify to do it.",
    };
  const names = all.map((v) => v.engine),
    rows = all.reduce((sum, v) => sum + v.compared, 0);
  const bad = all.filter((v) => v.broken > 0);
  const states = [...new Set(all.map((v) => v.states))].join(" and ");
  const run = `${rows} comparisons with ${names.join(" and ")}, at ${states} random states and along motions`;
  if (bad.length) {
    const worst = bad.reduce((a, b) => (b.share > a.share ? b : a));
    const count = bad.reduce((sum, v) => sum + v.broken, 0);
    return {
      state: "bad",
      short: `✗ ${worst.quantity}`,
      against: `vs ${bad.map((v) => v.engine).join(", ")}`,
      whole: `${count} of ${run} are beyond their limit; the worst is ${worst.quantity}. ${last}`,
    };
  }
  const sizes = all.map((v) => v.relative).filter((v) => v !== null);
  const largest = sizes.length ? Math.max(...sizes) : null;
  const about = largest === null ? "" : ` The largest relative difference at equal states is ${tell(largest, 2)}.`;
  return {
    state: "good",
    short: largest === null ? "✓ verified" : `✓ verified ${brief(largest)}`,
    against: `vs ${names.join(", ")}`,
    whole: `All of ${run} are within their limits.${about} ${last}`,
  };
}

const brief = (value: number): string => (value === 0 ? "0" : value.toExponential(0).replace("e+", "e").replaceAll("-", "−"));
