import type { App } from "../../core/app";
import { signs } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import { branchPictures } from "../../core/thumbnails";
import { segmented, select } from "../../core/widgets";

const ROW = 8; // modes that stand in a row; more are a list

/** Every branch by its name: working modes with the output where it is, assembly modes with the drives where they are. */
export function branchTools(app: App, puppet: Puppet, redraw: () => void): { elements: HTMLElement[]; show(): void } {
  const { told } = app.robot.value;
  if (!told.closed || told.linkage) return { elements: [], show: () => undefined };
  const find = (kind: "working" | "assembly", name: string): void => {
    const found = puppet.others().find((o) => o.kind === kind && o.pose[kind] === name);
    if (found) puppet.switchTo(found.pose);
    else redraw(); // the button goes back
  };
  const offered = (kind: "working" | "assembly"): string[] =>
    [
      ...new Set([
        puppet.nameOf(kind),
        ...puppet
          .others()
          .filter((o) => o.kind === kind)
          .map((o) => o.pose[kind]),
      ]),
    ].filter(Boolean);
  const pictures = branchPictures(puppet);
  const working = choice(
    "Working",
    told.working,
    (name) => `working mode ${name}: the side to which each leg bends`,
    (name) => find("working", name),
    (name) => pictures.of("working", name),
  );
  const assembly = choice(
    "Assembly",
    told.assembly,
    (name) => `assembly mode ${name}: another pose with the same drives`,
    (name) => find("assembly", name),
    (name) => pictures.of("assembly", name),
  );
  return {
    elements: [...(told.q.length === told.x.length || told.working.length ? [working.element] : []), assembly.element],
    show: () => {
      const modes = offered("working"),
        poses = offered("assembly");
      working.offer(told.working.length && told.working.length <= ROW ? told.working : modes.sort(), (name) => modes.includes(name));
      working.show(puppet.nameOf("working"));
      assembly.offer([...new Set([...(poses.some((n) => n.length > 1) ? [] : told.assembly), ...poses])].sort(), (name) => poses.includes(name));
      assembly.show(puppet.nameOf("assembly"));
      pictures.show();
    },
  };
}

interface Names {
  element: HTMLElement;
  offer(names: readonly string[], there: (name: string) => boolean): void;
  show(name: string): void;
}

function choice(label: string, known: readonly string[], title: (name: string) => string, choose: (name: string) => void, picture: (name: string) => Element | null): Names {
  if (known.length <= ROW) {
    const made = segmented({ label, values: known, value: null, text: signs, title, picture, choose });
    return { element: made.element, offer: (names, there) => made.offer(names, there), show: (name) => made.show(name) };
  }
  const made = select({ label, values: known, value: known[0] ?? "", text: signs, choose });
  let before = "";
  const offer = (names: readonly string[], there: (name: string) => boolean): void => {
    const left = names.filter(there);
    if (left.join(" ") !== before) made.offer(left);
    before = left.join(" ");
  };
  return { element: made.element, offer, show: (name) => made.show(name) };
}
