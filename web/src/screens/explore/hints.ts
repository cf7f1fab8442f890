import type { App } from "../../core/app";
import { el, say } from "../../core/dom";
import { FirstMoves, type Seen } from "../../core/firstmoves";
import type { Puppet } from "../../core/puppet";
import type { Stage } from "../../core/stage";
import { button } from "../../core/widgets";

const KEY = "closedchain.moves"; // which this browser has seen made

function kept(): number[] {
  try {
    const held: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(held) ? held.filter(Number.isInteger) : [];
  } catch {
    return [];
  }
}

/** The next of the first five moves, on the drawing, until they are made or sent away; each is read off the state. */
export function hints(app: App, stage: Stage, puppet: Puppet): { see(): void } {
  const now = (): Seen => {
    const { q, x, working, assembly } = puppet.pose.value;
    return { q, x, working, assembly, values: JSON.stringify(app.robot.value.ref.values ?? {}) };
  };
  const moves = new FirstMoves(now(), kept()),
    words = el("span", { role: "status" });
  const keep = (done: number[]): void => localStorage.setItem(KEY, JSON.stringify(done));
  const element = el(
    "div",
    { class: "first-moves" },
    words,
    button("×", () => (keep([0, 1, 2, 3, 4]), element.remove()), "quiet", "no more hints"),
  );
  element.lastElementChild?.setAttribute("aria-label", "no more hints");
  const show = (): void => {
    const next = moves.next();
    if (next) say(words, `${next.made + 1} of ${next.of}: ${next.words}`);
    else element.remove();
  };
  if (moves.next()) stage.element.append(element);
  show();
  return {
    see: () => {
      if (!moves.see(now())) return;
      keep(moves.done());
      show();
    },
  };
}
