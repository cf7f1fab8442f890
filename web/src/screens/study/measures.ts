import type { App } from "../../core/app";
import { el } from "../../core/dom";
import type { Puppet } from "../../core/puppet";
import { numberField, select } from "../../core/widgets";
import type { AxisRow } from "../../messages";

/** What can be asked without a trajectory, in words. */
export const MEASURES: Record<string, string> = {
  workspace_area: "area that is reached",
  dexterous_area: "area that is reached well",
  regular_workspace: "side of the largest regular square",
  min_conditioning: "least conditioning",
  dexterity: "mean conditioning",
  centre_conditioning: "conditioning at the centre",
  moving_mass: "moving mass",
};

/** A parameter with its range, chosen and typed; kept with the screen. */
export function axisForm(app: App, label: string, key: string, first: number): { element: HTMLElement; axis(): AxisRow } {
  const { parameters } = app.robot.value.told,
    names = parameters.map((row) => row.name);
  const held = app.setting<Partial<AxisRow>>(key, {}),
    row = parameters.find(({ name }) => name === held.name) ?? parameters[first] ?? parameters[0];
  const round = (value: number): number => Number(value.toPrecision(3)),
    own = held.name === row?.name ? held : {};
  let axis: AxisRow = { name: row?.name ?? "", low: own.low ?? round(row?.low ?? 0), high: own.high ?? round(row?.high ?? 1) };
  const keep = (next: Partial<AxisRow>): void => app.keep(key, (axis = { ...axis, ...next }));
  const fields = el("span", { class: "study-range" });
  const build = (): void => {
    const unit = parameters.find(({ name }) => name === axis.name)?.unit ?? "";
    fields.replaceChildren(
      numberField({ label: "from", unit, value: axis.low, commit: (low) => keep({ low }) }).element,
      numberField({ label: "to", unit, value: axis.high, commit: (high) => keep({ high }) }).element,
    );
  };
  const choice = select({
    label,
    values: names,
    value: axis.name,
    choose: (name) => {
      const chosen = parameters.find((one) => one.name === name);
      keep({ name, low: round(chosen?.low ?? 0), high: round(chosen?.high ?? 1) });
      build();
    },
  });
  build();
  return { element: el("div", { class: "stack" }, choice.element, fields), axis: () => axis };
}

/** The mode and the third coordinate that the robot stands in. */
export const standsIn = (puppet: Puppet): { working: string | null; orientation: number | null } => ({
  working: puppet.nameOf("working") || null,
  orientation: puppet.doc.told.x.length === 3 ? (puppet.pose.value.x[2] ?? null) : null,
});
