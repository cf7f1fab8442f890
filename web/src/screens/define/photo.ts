import type { App } from "../../core/app";
import { el, svg } from "../../core/dom";
import type { Stage } from "../../core/stage";
import { button, numberField } from "../../core/widgets";

interface Seat {
  wide: number; // [m]
  x: number; // [m] of its middle
  y: number;
}

let kept: { address: string; ratio: number } | null = null; // while the tab is open; it goes nowhere

/** A photo behind the grid, to build over: its file is read by the page alone, its width and place are typed. */
export function photoTools(app: App, stage: Stage): { element: HTMLElement; dispose(): void } {
  const image = svg("image", { class: "photo", preserveAspectRatio: "none", "aria-hidden": "true" });
  stage.layers.grid.before(image);
  const seat = (): Seat => app.setting<Seat>("photo", { wide: 0.5, x: 0, y: 0.15 });
  const draw = (): void => {
    image.toggleAttribute("hidden", !kept);
    fields.hidden = off.hidden = !kept;
    if (!kept) return image.removeAttribute("href");
    const { wide, x, y } = seat(),
      scale = stage.pixelsPerMetre,
      [cx, cy] = stage.toScreen([x, y]),
      size = [wide * scale, (wide * scale) / kept.ratio] as const;
    const values = { href: kept.address, x: cx - size[0] / 2, y: cy - size[1] / 2, width: size[0], height: size[1] };
    for (const [name, value] of Object.entries(values)) image.setAttribute(name, String(value));
  };
  const set = (part: Partial<Seat>): void => (app.keep("photo", { ...seat(), ...part }), draw());
  const field = (label: string, key: keyof Seat, min?: number): HTMLElement =>
    numberField({ label, unit: "m", value: seat()[key], min, max: 1000, commit: (value) => set({ [key]: value }) }).element;
  const fields = el("div", { class: "row photo-fields" }, field("photo wide", "wide", 1e-6), field("at x", "x"), field("y", "y"));
  const read = async (file: File): Promise<void> => {
    const address = URL.createObjectURL(file);
    try {
      const shown = new Image();
      shown.src = address;
      await shown.decode();
      if (kept) URL.revokeObjectURL(kept.address);
      kept = { address, ratio: shown.naturalWidth / shown.naturalHeight };
    } catch {
      URL.revokeObjectURL(address);
      app.toast(`${file.name} is no picture that this browser can show.`, "error");
    }
    draw();
  };
  const input = el("input", {
    type: "file",
    accept: "image/*",
    class: "unseen",
    "aria-label": "photo behind the grid",
    onchange: () => input.files?.[0] && void read(input.files[0]),
  });
  const off = button(
    "No photo",
    () => {
      if (kept) URL.revokeObjectURL(kept.address);
      kept = null;
      input.value = "";
      draw();
    },
    "quiet",
  );
  const take = button("Photo", () => input.click(), "quiet", "a picture behind the grid, to build over; it stays in this page");
  const end = stage.onView(draw);
  draw();
  return { element: el("div", { class: "row" }, fields, off, take, input), dispose: end };
}
