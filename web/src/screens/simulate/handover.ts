import type { App } from "../../core/app";
import type { Tables } from "./recipe";
import { OWN } from "./scenarios";

/** Open Simulate with a trajectory, as if it had been drawn there: the robot's own motion, changed; a crossing with a law that goes through. */
export function handOver(app: App, trajectory: Tables): void {
  const { settings } = app.state.value;
  app.state.patch({
    settings: {
      ...settings,
      simulate: {
        ...settings.simulate,
        scenario: OWN,
        changes: { trajectory, start: {}, ...(trajectory.kind === "crossing" ? { controller: { kind: "crossing-feedforward" }, interval: 0.001 } : {}) },
      },
    },
  });
  app.go("simulate");
}
