import type { FrameHeader } from "../messages";

export interface NamedArray {
  shape: number[];
  data: Float32Array | Float64Array;
}

/** A binary answer: arrays by name, and what is said about them. */
export interface Frame<Meta = Record<string, unknown>> {
  id: number;
  meta: Meta;
  arrays: Record<string, NamedArray>;
}

const MAGIC = 0x31424343; // "CCB1", little-endian

/** Read "CCB1", uint32 id, uint32 length of the header, the header, the arrays. */
export function readFrame(bytes: ArrayBuffer): Frame {
  const view = new DataView(bytes);
  if (bytes.byteLength < 12 || view.getUint32(0, true) !== MAGIC) throw new Error("a binary message is not a frame");
  const length = view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 12, length))) as FrameHeader;
  const arrays: Record<string, NamedArray> = {};
  for (const { name, shape, dtype, offset } of header.arrays) {
    const count = shape.reduce((a, b) => a * b, 1);
    const size = dtype === "f4" ? 4 : 8;
    const start = 12 + length + offset;
    const aligned = start % size === 0 ? { buffer: bytes, start } : { buffer: bytes.slice(start, start + size * count), start: 0 };
    const data = dtype === "f4" ? new Float32Array(aligned.buffer, aligned.start, count) : new Float64Array(aligned.buffer, aligned.start, count);
    arrays[name] = { shape, data };
  }
  return { id: view.getUint32(4, true), meta: header.meta, arrays };
}

/** Row `i` of an array (n, k), as numbers. */
export function row(array: NamedArray, i: number): number[] {
  const width = array.shape.slice(1).reduce((a, b) => a * b, 1);
  return Array.from(array.data.subarray(i * width, (i + 1) * width));
}

/** Column `j` of an array (n, k), or the array itself where it has one axis. */
export function column(array: NamedArray, j: number): Float64Array {
  const width = array.shape.length > 1 ? (array.shape[1] ?? 1) : 1;
  return Float64Array.from({ length: array.shape[0] ?? 0 }, (_, i) => array.data[i * width + j] ?? NaN);
}
