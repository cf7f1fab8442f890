import { start, tokenGiven } from "./core/app";
import { el } from "./core/dom";
import type { ScreenName } from "./core/link";
import { type Mount, type ScreenEntry, shell } from "./core/shell";
import "./style/base.css";
import "./style/widgets.css";
import "./style/stage.css";
import "./style/screens.css";

type Fitting = Pick<ScreenEntry, "fits" | "whom">;
const plane: Fitting = { fits: (told) => told.dimension === 2, whom: "for robots in the plane" };
const space: Fitting = { fits: (told) => told.dimension === 3, whom: "for robots in space" };
const driven: Fitting = { fits: (told) => told.closed && !told.linkage && told.parameters.length > 1, whom: "for robots with loops whose drives decide where they are" };
const any: Fitting = { fits: () => true, whom: "" };

// Each screen is a file of its own, fetched when it is first opened.
const files = import.meta.glob<{ mount: Mount }>("./screens/*.ts");
const load = (name: ScreenName) => (): Promise<{ mount: Mount }> => {
  const file = files[`./screens/${name}.ts`];
  return file ? file() : Promise.reject(new Error(`there is no screen ${name}`));
};

const SCREENS: Record<ScreenName, ScreenEntry> = {
  explore: { title: "Explore", load: load("explore"), ...plane },
  simulate: { title: "Simulate", load: load("simulate"), ...any },
  verify: { title: "Verify", load: load("verify"), ...any },
  define: { title: "Define", load: load("define"), ...any },
  study: { title: "Study", load: load("study"), ...driven },
  lab: { title: "Lab", load: load("lab"), ...any },
  space: { title: "3-D", load: load("space"), ...space },
};

const root = document.getElementById("app") as HTMLElement;

/** Where the token is missing or wrong: say how to come in. */
function door(): void {
  const words = "Open the address that `closedchain studio` printed: it ends in #t= and a long token.";
  root.replaceChildren(el("main", { class: "door" }, el("h1", {}, "closedchain studio"), el("p", {}, words)));
}

let running = false; // with a robot on the screen a lost token is told by the lamp, and dragging goes on

async function begin(): Promise<void> {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const app = await start(`${scheme}://${location.host}/ws`, tokenGiven(), (link) => link.follow((now) => now === "refused" && !running && door()));
  running = true;
  shell(root, app, SCREENS);
  Object.assign(window, { studio: app }); // for the console and for tests
}

void begin();
