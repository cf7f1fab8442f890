// Kernels as one module of WebAssembly. `robot` and `code` (base64) are written before this text.

const memory = new WebAssembly.Memory({ initial: Math.ceil(Math.max(...Object.keys(robot.kernels).map(cells)) / 8192) });
const numbers = new Float64Array(memory.buffer);
const module = new WebAssembly.Module(Uint8Array.from(atob(code), (c) => c.charCodeAt(0)));
const functions = new WebAssembly.Instance(module, { env: { __linear_memory: memory } }).exports;

function length(shape) {
  return shape.reduce((a, b) => a * b, 1);
}

/** How many numbers of memory a kernel takes; the first is left free, since place 0 stands for none. */
function cells(name) {
  const { inputs, outputs } = robot.kernels[name];
  return [...inputs, ...outputs].reduce((sum, o) => sum + length(o.shape), 1);
}

/** raw(...inputs, out): arrays go into the memory, results come out of it in a row; scalars go in as they are. */
function compiled(name) {
  const { inputs, outputs } = robot.kernels[name];
  const run = functions[name];
  let free = 1;
  const placed = (o) => (free += length(o.shape)) - length(o.shape);
  const from = inputs.map((o) => (o.shape.length ? placed(o) : 0));
  const to = outputs.map(placed);
  const places = to.map((at) => 8 * at);
  const results = numbers.subarray(to[0], free);
  return (...given) => {
    const told = from.map((at, i) => {
      if (at) numbers.set(given[i], at);
      return at ? 8 * at : given[i];
    });
    run(...told, ...places);
    given[inputs.length].set(results);
  };
}
