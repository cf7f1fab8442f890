import { EditorView } from "@codemirror/view";

const tinted = (share: number): string => `color-mix(in srgb, var(--accent) ${share}%, transparent)`;

/** The editor in the page's own colours, light and dark. */
export const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace', lineHeight: "20px", fontVariantLigatures: "none" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-gutters": { background: "var(--panel)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { background: tinted(8) },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: tinted(28) },
  "&.cm-focused .cm-matchingBracket": { background: tinted(20) },
  ".key": { color: "var(--accent)" },
  ".string": { color: "var(--good)" },
  ".number": { color: "var(--type2)" },
  ".comment": { color: "var(--soft)" },
  ".head": { color: "var(--line-6)" },
  ".cm-lintRange-error": { background: "var(--bad-soft)", textDecoration: "underline wavy var(--bad)" },
  ".cm-lint-marker-error": { content: "none", width: "8px", height: "8px", margin: "6px 3px", borderRadius: "50%", background: "var(--bad)" },
  ".cm-tooltip": { background: "var(--panel)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "6px" },
  ".cm-tooltip .cm-completionInfo": { maxWidth: "300px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--bad)" },
});
