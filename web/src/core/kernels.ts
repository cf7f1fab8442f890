/** What every robot's JavaScript module exports: the compiled kernels' operations, to the same bits. */
export interface Kernels {
  robot: {
    name: string;
    q: { name: string; unit: string }[];
    x: { name: string; unit: string }[];
    driven: number[];
    inputs: string;
    parameters: { name: string; value: number; unit: string; about: string }[];
    legs: { name: string; sign: number }[];
    groups: { kernel: string; columns: number[]; branches: number; triad: boolean; links: string[] }[];
    plate: boolean;
    kernels: Record<string, { inputs: { name: string; shape: number[] }[]; outputs: { name: string; shape: number[] }[] }>;
    omitted: Record<string, string>;
  };
  kernels: Record<string, { call: (...given: unknown[]) => Record<string, Float64Array | number> }>;
  parameters(changed?: Record<string, number>): Float64Array;
  evaluate(name: string, arrays: Record<string, ArrayLike<number> | number>): Record<string, Float64Array>;
  inverse(x: ArrayLike<number>, p?: Float64Array): { solutions: InverseSolution[]; misses: Miss[] };
  direct(q: ArrayLike<number>, p?: Float64Array): { solutions: DirectSolution[]; misses: Miss[] };
  configuration(q: ArrayLike<number>, x: ArrayLike<number>, p: Float64Array): Found;
  singularValues(A: ArrayLike<number>, rows: number): number[];
  determinant(A: ArrayLike<number>, n: number): number;
  advance(state: Record<string, ArrayLike<number> | number>, u: ArrayLike<number>, p: Float64Array, h: number, steps?: number): Record<string, Float64Array> & { ok: boolean };
}

export interface Found {
  residual: number;
  det: number;
  condition: number;
  A: Float64Array;
  B: Float64Array;
}
export interface InverseSolution extends Found {
  mode: string;
  q: Float64Array;
  double: boolean;
}
export interface DirectSolution extends Found {
  mode: string;
  x: Float64Array;
  double: boolean;
}
export interface Miss {
  leg: string;
  by: number | null;
}

const loaded = new Map<string, Promise<Kernels>>();

/** The module at an address, fetched once. */
export function loadKernels(address: string): Promise<Kernels> {
  let found = loaded.get(address);
  if (!found) {
    const absolute = new URL(address, location.href).href;
    found = import(/* @vite-ignore */ absolute) as Promise<Kernels>;
    found.catch(() => loaded.delete(address));
    loaded.set(address, found);
  }
  return found;
}

/** Whether inverse and direct are straight-line here; where not, the server is asked. */
export const solvesItself = (kernels: Kernels | null): kernels is Kernels =>
  kernels !== null && kernels.robot.legs.length > 0 && kernels.robot.groups.length > 0 && !("direct and inverse" in kernels.robot.omitted);
