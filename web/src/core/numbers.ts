/** How a unit is shown: angles in degrees, all else as it is. */
export function shown(unit: string): { unit: string; factor: number } {
  if (unit === "rad") return { unit: "°", factor: 180 / Math.PI };
  if (unit === "rad/s") return { unit: "°/s", factor: 180 / Math.PI };
  return { unit: unit.replace("^2", "²").replace("ohm", "Ω").replaceAll(" ", "\u202f"), factor: 1 };
}

/** A number for people: `digits` significant ones, a true minus, powers of ten written out. */
export function tell(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    const [mantissa, power] = value.toExponential(Math.min(digits - 1, 2)).split("e");
    return `${mantissa}e${power}`.replaceAll("-", "−").replace("e+", "e");
  }
  const decimals = size === 0 ? digits - 1 : Math.max(0, Math.min(8, digits - 1 - Math.floor(Math.log10(size))));
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A number with a fixed count of decimals: columns of a live display do not jump. */
export function fixed(value: number | null | undefined, decimals: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return tell(value);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A length with a unit that suits it: 41 mm, 1.2 m. */
export function length(metres: number | null | undefined): string {
  if (metres === null || metres === undefined) return "–";
  return Math.abs(metres) < 1 ? `${tell(metres * 1e3, 3)} mm` : `${tell(metres, 3)} m`;
}

/** Decimals that show a quantity of this size to a ten-thousandth. */
export function decimalsFor(size: number): number {
  return Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(size, 1e-9)))));
}

/** 1, 2 or 5 times a power of ten, not above `value`. */
export function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const first = value / power;
  return power * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
}

/** A mode's name with true minus signs. */
export const signs = (mode: string): string => mode.replaceAll("-", "−");

const GREEK: Record<string, string> = {
  alpha: "α",
  beta: "β",
  gamma: "γ",
  delta: "δ",
  theta: "θ",
  lambda: "λ",
  mu: "μ",
  rho: "ρ",
  sigma: "σ",
  tau: "τ",
  phi: "φ",
  psi: "ψ",
  omega: "ω",
};

/** A coordinate's name as it is written by hand: theta1 → θ1. */
export const letters = (name: string): string => name.replace(/^[a-z]+/, (word) => GREEK[word] ?? word);
