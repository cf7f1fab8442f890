import { el, say } from "../../core/dom";
import type { DefineError } from "../../messages";
import { type Open, pieces } from "./highlight";

/** A text editor: line numbers, colours under a text area whose own letters are clear, a mark on the line that is wrong;
 *  Tab writes spaces (Escape, then Tab, leaves). */
export class Editor {
  readonly element: HTMLElement;
  readonly area: HTMLTextAreaElement;
  private readonly gutter = el("div", { class: "gutter", "aria-hidden": "true" });
  private readonly backdrop = el("div", { class: "backdrop", "aria-hidden": "true" });
  private errors: DefineError[] = [];
  private shown: string[] = []; // of each line: its text and what was open before it
  private escaped = false;

  constructor(text: string, changed: (text: string) => void) {
    this.area = el("textarea", { id: "toml", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-describedby": "mistakes" });
    this.area.value = text;
    const sheet = el("div", { class: "sheet" }, this.backdrop, this.area);
    this.element = el("div", { class: "editor" }, this.gutter, sheet);
    this.area.addEventListener("input", () => {
      this.number();
      changed(this.area.value);
    });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", (event) => this.key(event, changed));
    this.number();
  }

  get text(): string {
    return this.area.value;
  }

  write(text: string): void {
    this.area.value = text;
    this.number();
  }

  /** Mark the lines that are wrong. */
  mark(errors: DefineError[]): void {
    this.errors = errors;
    this.area.setAttribute("aria-invalid", String(errors.length > 0));
    this.number();
  }

  /** Put the caret at a place, lines and columns from 1. */
  goTo(line: number, column: number): void {
    const start = this.text
      .split("\n")
      .slice(0, line - 1)
      .reduce((sum, one) => sum + one.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(start + column - 1, start + column - 1);
    const height = parseFloat(getComputedStyle(this.area).lineHeight) || 20;
    this.area.scrollTop = Math.max(0, (line - 4) * height);
  }

  private key(event: KeyboardEvent, changed: (text: string) => void): void {
    if (event.key === "Escape") this.escaped = true;
    else if (event.key === "Tab" && !event.shiftKey && !this.escaped) {
      event.preventDefault();
      if (document.execCommand("insertText", false, "  ")) return; // as typed: it can be undone, and tells of itself
      this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
      this.number();
      changed(this.text);
    } else this.escaped = false;
  }

  private number(): void {
    const lines = this.text.split("\n");
    const wrong = new Map(this.errors.map((e) => [e.line, e.message]));
    if (this.gutter.childElementCount !== lines.length) this.gutter.replaceChildren(...lines.map(() => el("span")));
    if (this.backdrop.childElementCount !== lines.length) this.backdrop.replaceChildren(...lines.map(() => el("div")));
    this.colour(lines);
    lines.forEach((_, i) => {
      const bad = wrong.has(i + 1),
        number = this.gutter.children[i],
        line = this.backdrop.children[i];
      if (!number || !line) return;
      say(number, `${i + 1}`);
      number.className = bad ? "wrong" : "";
      line.className = bad ? "wrong" : "";
    });
    this.follow();
  }

  /** Colour the lines that have changed. */
  private colour(lines: string[]): void {
    let open: Open = { quote: "", depth: 0 };
    this.shown = lines.map((line, i) => {
      const key = `${open.quote} ${open.depth} ${line}`;
      const [found, after] = pieces(line, open);
      const place = this.backdrop.children[i];
      if (place && (this.shown[i] !== key || !place.firstChild)) place.replaceChildren(...found.map(({ kind, text }) => el("span", { class: kind || null }, text)));
      open = after;
      return key;
    });
  }

  private follow(): void {
    const { scrollTop, scrollLeft } = this.area;
    this.gutter.style.transform = `translateY(${-scrollTop}px)`;
    this.backdrop.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
  }
}
