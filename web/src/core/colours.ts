type Colour = [number, number, number];

// Anchors of maps that are even in lightness and safe for colour-blind eyes: cividis for sizes, blue to orange for signs.
const EVEN: Colour[] = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 121],
  [165, 156, 117],
  [195, 179, 105],
  [225, 204, 85],
  [253, 232, 55],
];
const SIGNED_LIGHT: Colour[] = [
  [8, 64, 129],
  [43, 123, 186],
  [128, 182, 217],
  [214, 230, 241],
  [248, 248, 248],
  [250, 226, 200],
  [243, 176, 107],
  [214, 110, 32],
  [140, 56, 6],
];
const SIGNED_DARK: Colour[] = [
  [158, 207, 250],
  [86, 160, 222],
  [40, 104, 164],
  [24, 55, 88],
  [22, 26, 31],
  [74, 46, 20],
  [150, 82, 24],
  [222, 132, 44],
  [255, 198, 120],
];
export const AREAS = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00", "#999999"];

function table(anchors: Colour[]): Uint8ClampedArray {
  const out = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (anchors.length - 1),
      k = Math.min(Math.floor(at), anchors.length - 2),
      s = at - k;
    for (let c = 0; c < 3; c++) out[3 * i + c] = (1 - s) * (anchors[k]?.[c] ?? 0) + s * (anchors[k + 1]?.[c] ?? 0);
  }
  return out;
}

const tables = { even: table(EVEN), light: table(SIGNED_LIGHT), dark: table(SIGNED_DARK) };

/** 256 colours, three bytes each: even for sizes, diverging from zero for signed quantities. */
export const ramp = (signed: boolean, dark: boolean): Uint8ClampedArray => (signed ? (dark ? tables.dark : tables.light) : tables.even);

/** The bytes of a colour that is written #rgb or #rrggbb. */
export function bytes(hex: string): number[] {
  const long = hex.length === 4 ? [...hex.slice(1)].map((c) => c + c).join("") : hex.slice(1);
  return [0, 2, 4].map((i) => parseInt(long.slice(i, i + 2), 16));
}

/** A colour laid over an opaque one, opaque itself. */
export function mixed(rgb: number[], under: string, alpha: number): string {
  const below = bytes(under);
  return `#${rgb
    .map((v, i) =>
      Math.round(alpha * v + (1 - alpha) * (below[i] ?? 0))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
