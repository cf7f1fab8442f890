import { Store } from "./store";

export type Theme = "light" | "dark";
const KEY = "closedchain.theme";
const wanted = matchMedia("(prefers-color-scheme: dark)");

const remembered = (): Theme | null => {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : null;
};
const now = (): Theme => remembered() ?? (wanted.matches ? "dark" : "light");

/** Light or dark: the system's wish unless someone chose. */
export const theme = new Store<Theme>(now());
theme.follow((value) => document.documentElement.setAttribute("data-theme", value));
wanted.addEventListener("change", () => theme.set(now()));

/** The other theme, remembered. */
export function toggleTheme(): void {
  const next = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, next);
  theme.set(next);
}

/** A colour of the theme, for canvases. */
export const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
