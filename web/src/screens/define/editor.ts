import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorSelection, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { el } from "../../core/dom";
import type { DefineError } from "../../messages";
import { complete } from "./completion";
import { language } from "./language";
import { theme } from "./theme";

/** The text of a mechanism file: colours, completion from the schema, every mistake marked at its place; Tab writes spaces (Escape, then Tab, leaves). */
export class Editor {
  readonly element = el("div", { class: "editor" });
  private readonly view: EditorView;
  private quiet = false; // what is written by others is not told as typed
  private escaped = false;

  constructor(text: string, changed: (text: string) => void) {
    const tab = (view: EditorView): boolean => {
      if (this.escaped) return false; // goes on to the next control
      view.dispatch(view.state.replaceSelection("  "));
      return true;
    };
    const release = (): boolean => {
      this.escaped = true;
      return false;
    };
    const root = this.element.attachShadow({ mode: "open" }); // there its sheets are adopted ones: the page allows no inline style
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          lintGutter(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          bracketMatching(),
          closeBrackets(),
          indentUnit.of("  "),
          EditorState.tabSize.of(2),
          autocompletion({ override: [complete], icons: false }),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, { key: "Escape", run: release }, { key: "Tab", run: tab }, ...historyKeymap, ...defaultKeymap]),
          language(),
          theme,
          EditorView.contentAttributes.of({ id: "toml", tabindex: "0", "aria-label": "mechanism in TOML", autocapitalize: "off", autocorrect: "off" }),
          EditorView.domEventHandlers({ keydown: (event) => void (event.key === "Escape" || event.key === "Tab" || (this.escaped = false)) }),
          EditorView.updateListener.of((update) => update.docChanged && !this.quiet && changed(this.text)),
        ],
      }),
    });
    Object.assign(this.element, { editor: this }); // for the console and for tests
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  write(text: string): void {
    this.quiet = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.quiet = false;
  }

  /** Mark the places that are wrong. */
  mark(errors: DefineError[]): void {
    const found = errors.map(({ line, column, message }): Diagnostic => {
      const from = this.place(line, column),
        end = this.view.state.doc.lineAt(from).to;
      const word = /^[\w-]+|^"[^"]*"?|^\S/.exec(this.view.state.sliceDoc(from, end))?.[0] ?? "";
      return { from, to: from + word.length, severity: "error", message };
    });
    this.view.contentDOM.setAttribute("aria-invalid", String(errors.length > 0));
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  /** Put the caret at a place, lines and columns from 1. */
  goTo(line: number, column: number): void {
    this.view.dispatch({ selection: EditorSelection.cursor(this.place(line, column)), effects: EditorView.scrollIntoView(this.place(line, column), { y: "center" }) });
    this.view.focus();
  }

  dispose(): void {
    this.view.destroy();
  }

  private place(line: number, column: number): number {
    const { doc } = this.view.state,
      row = doc.line(Math.max(1, Math.min(doc.lines, line)));
    return Math.min(row.to, row.from + column - 1);
  }
}
