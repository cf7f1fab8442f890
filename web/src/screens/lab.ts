import type { App } from "../core/app";
import type { Job } from "../core/connection";
import { el, say } from "../core/dom";
import { tell } from "../core/numbers";
import { button, progress, section, select, table, tick } from "../core/widgets";
import { departure } from "./lab/departure";
import type { FileGrade, FunctionGrade, Submission } from "./lab/grades";
import { Picture } from "./lab/picture";
import "./lab/lab.css";

const LARGEST = 60_000; // bytes of a file that fits into one message

/** A group's model file: confirm, grade it in the sandbox, see where it departs. */
export function mount(root: HTMLElement, app: App): () => void {
  const screen = new Lab(root, app);
  return () => screen.dispose();
}

class Lab {
  private name = "";
  private text = "";
  private robot = "";
  private over = false;
  private job: Job<"grade"> | null = null;
  private picture: Picture | null = null;
  private chosen: FunctionGrade | null = null;

  private readonly file = el("input", { type: "file", accept: ".py,.txt,text/x-python", id: "group-file" });
  private readonly told = el("p", { class: "small soft", role: "status" }, "No file yet.");
  private readonly source = el("pre", { class: "source", tabindex: "0", "aria-label": "the file's text", hidden: true });
  private readonly confirm = tick("I want this code to run, in the lab's sandbox.", false, () => this.enable());
  private readonly grade = button("Grade it", () => void this.go(), "primary");
  private readonly progress = progress();
  private readonly grades = el("div", { class: "grades" });
  private readonly holder = el("div", { class: "holder" });
  private readonly words = el("div", { class: "words" });
  private readonly load: HTMLDetailsElement;

  constructor(
    root: HTMLElement,
    private readonly app: App,
  ) {
    this.file.addEventListener("change", () => void this.read(this.file.files?.[0] ?? null));
    const drop = el("div", { class: "drop" }, el("label", { for: "group-file" }, "A group's file"), this.file);
    drop.addEventListener("dragover", (event) => event.preventDefault());
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.read(event.dataTransfer?.files[0] ?? null);
    });
    const about = select({ label: "Robot", values: ["", "biglide", "fivebar"], value: "", text: (v) => v || "as the file's name says", choose: (v) => (this.robot = v) });
    const safe = el(
      "p",
      { class: "small soft" },
      "A model file is a Python program. It is graded in a sandbox: no network, no files, limits on time and memory. Nothing runs before you confirm it.",
    );
    this.load = section(
      "File",
      true,
      drop,
      this.workspace(),
      this.told,
      this.source,
      about.element,
      safe,
      this.confirm.element,
      el("div", { class: "row" }, this.grade),
      this.progress.element,
    );
    const left = el("aside", { class: "lab-left" }, this.load, this.grades);
    const right = el("div", { class: "lab-right" }, this.holder, this.words);
    root.append(el("div", { class: "lab-bench" }, left, right));
    this.holder.append(
      el(
        "p",
        { class: "empty" },
        "When a file has been graded, choose a function: the robot stands in the first state where its answer departs, with the right answer and the group's.",
      ),
    );
    this.enable();
  }

  dispose(): void {
    this.over = true;
    this.job?.cancel();
    this.picture?.dispose();
  }

  // The file -----------------------------------------------------------------------------------

  private workspace(): HTMLElement {
    const choice = select<string>({ label: "Workspace", values: [""], value: "", text: (v) => v || "choose…", choose: (name) => void this.open(name) });
    choice.element.hidden = true;
    this.app.ask("files", {}).then(
      ({ python }) => {
        choice.offer(["", ...python]);
        choice.element.hidden = python.length === 0;
      },
      () => undefined,
    );
    return choice.element;
  }

  private async open(name: string): Promise<void> {
    if (!name) return;
    try {
      this.take(name.split("/").pop() ?? name, (await this.app.ask("read", { name })).text);
    } catch (error) {
      this.app.toast((error as Error).message, "error");
    }
  }

  private async read(file: File | null): Promise<void> {
    if (!file) return;
    if (file.size > LARGEST) {
      this.app.toast(`${file.name} has ${file.size} bytes; a model file has less than ${LARGEST}.`, "error");
      return;
    }
    this.take(file.name, await file.text());
  }

  private take(name: string, text: string): void {
    this.name = name;
    this.text = text;
    say(this.told, `${name}: ${text.split("\n").length} lines`);
    this.source.hidden = false;
    say(this.source, text);
    this.confirm.input.checked = false; // for each file anew
    this.grades.replaceChildren();
    this.enable();
  }

  private enable(): void {
    this.confirm.input.disabled = !this.text;
    this.grade.disabled = !this.text || !this.confirm.input.checked || this.job !== null;
  }

  // The grade ----------------------------------------------------------------------------------

  private async go(): Promise<void> {
    if (!this.confirm.input.checked) return;
    const body = { name: this.name, text: this.text, confirmed: true, robot: this.robot || null };
    const job = this.app.job("grade", body, (part, note) => this.progress.told(part, note));
    this.job = job;
    this.enable();
    this.progress.start(() => job.cancel());
    try {
      const { submissions } = await job.done;
      if (!this.over) await this.show(submissions as unknown as Submission[]);
    } catch (error) {
      if (!this.over) this.app.toast((error as Error).message, "error");
    } finally {
      this.job = null;
      this.progress.end();
      this.enable();
    }
  }

  private async show(submissions: Submission[]): Promise<void> {
    const problem = submissions.find((s) => s.problem)?.problem;
    const files = submissions.flatMap((s) => s.files);
    this.grades.replaceChildren(...(problem ? [el("p", { class: "problem" }, problem)] : []), ...files.map((file) => this.fileGrade(file)));
    const models = files.find((file) => file.kind === "models" && file.functions?.length);
    this.load.open = files.length === 0;
    if (!models) return;
    const wrong = models.functions?.find((f) => f.failure) ?? models.functions?.[0];
    this.picture?.dispose();
    this.picture = null;
    this.chosen = wrong ?? null;
    this.holder.replaceChildren(el("p", { class: "empty" }, `Preparing the ${models.robot}…`));
    const picture = await Picture.open(this.app, models.robot, models.parameters ?? {});
    if (this.over) return picture.dispose();
    this.picture = picture;
    this.holder.replaceChildren(picture.element);
    if (this.chosen) this.choose(this.chosen);
  }

  private fileGrade(file: FileGrade): HTMLElement {
    const score = el(
      "p",
      { class: `score ${file.score >= 99.95 ? "good" : ""}` },
      `${tell(file.score, 3)} of 100`,
      el("span", { class: "soft small" }, ` ${file.file}, ${file.robot}`),
    );
    const notes = [file.verdict, ...file.notes].filter(Boolean).map((text) => el("p", { class: "small" }, text));
    const guarded = el(
      "p",
      { class: "small soft" },
      `Sandbox: ${Object.entries(file.protections)
        .map(([what, how]) => `${what} (${how})`)
        .join(", ")}.`,
    );
    const printed = file.output ? [section("What it printed", false, el("pre", { class: "source", tabindex: "0" }, file.output))] : [];
    return el(
      "section",
      { class: "file-grade", "aria-label": file.file },
      score,
      ...notes,
      ...(file.functions ? [this.functions(file.functions)] : [this.measured(file)]),
      guarded,
      ...printed,
    );
  }

  private functions(rows: FunctionGrade[]): HTMLElement {
    const made = table("Functions", ["function", "verdict", "right", "error ≤"], { hideCaption: true });
    made.rows(
      rows.map((row) => [
        button(row.name, () => this.choose(row), "quiet", "show where it departs"),
        el("span", { class: row.verdict === "right" ? "good" : "bad" }, `${row.verdict === "right" ? "✓" : "✗"} ${row.verdict}`),
        row.states ? `${row.right} / ${row.states}` : "–",
        tell(row.largest, 2),
      ]),
    );
    return made.element;
  }

  private measured(file: FileGrade): HTMLElement {
    const made = table("Control", ["measured", ""], { hideCaption: true });
    made.rows(Object.entries(file.measured ?? {}).map(([name, value]) => [name, typeof value === "number" ? tell(value, 4) : JSON.stringify(value)]));
    return made.element;
  }

  private choose(grade: FunctionGrade): void {
    this.chosen = grade;
    for (const each of this.grades.querySelectorAll("tbody tr")) each.classList.toggle("chosen", each.querySelector("button")?.textContent === grade.name);
    const found = this.picture ? departure(this.picture.doc, grade) : null;
    this.picture?.show(found);
    this.words.replaceChildren(...this.said(grade, found !== null || !this.picture));
  }

  private said(grade: FunctionGrade, drawn: boolean): HTMLElement[] {
    const failure = grade.failure;
    const sentences = [...grade.says, ...grade.notes].map((text) => el("p", {}, text));
    const head = el("h2", {}, `${grade.name}: ${grade.verdict}`);
    if (!failure) return [head, ...sentences, ...(grade.verdict === "right" ? [el("p", { class: "soft" }, "Right in every state that was tried.")] : [])];
    const numbers = table("The first state where it departs", ["", "right", "the group's", "difference"]);
    const names = Object.keys(failure.expected ?? failure.got ?? {});
    numbers.rows(
      names.map((name) => {
        const right = failure.expected?.[name],
          got = failure.got?.[name];
        const apart = right !== undefined && got !== undefined ? tell(got - right, 3) : "–";
        return [name, right === undefined ? "out of reach" : tell(right, 5), got === undefined ? "no number" : tell(got, 5), apart];
      }),
    );
    const inputs = Object.entries(failure.inputs)
      .map(([name, value]) => `${name} = ${tell(value, 4)}`)
      .join(", ");
    const extra = [failure.words, drawn ? "" : "This state cannot be drawn: the loops do not close there."].filter(Boolean).map((text) => el("p", { class: "soft" }, text));
    return [head, ...sentences, numbers.element, el("p", { class: "small soft" }, `At ${inputs}.`), ...extra];
  }
}
