// Generated from src/closedchain/studio/messages/ by `python -m closedchain.studio.messages`: do not edit.

/** The first message of a connection. */
export interface HelloRequest {
  token: string;
}

/** A robot that can be opened by its name, and the names that open its parameter sets: `biglide:lab`. */
export interface RobotRow {
  name: string;
  about: string;
  dimension: number;
  presets: string[];
}

/** A scenario that comes with the package. */
export interface ScenarioRow {
  name: string;
  robot: string;
  about: string;
}

/** Which robot: one by name ("biglide", "furuta:qube") or a mechanism file's text, and values that differ. */
export interface RobotRef {
  source?: string | null;
  toml?: string | null;
  values?: Record<string, number>;
}

/** What there is; `open` is the robot that the command line named. */
export interface HelloAnswer {
  version: string;
  robots: RobotRow[];
  scenarios: ScenarioRow[];
  engines: string[];
  lab: boolean;
  video: boolean;
  open: RobotRef | null;
  workspace: string;
}

/** End a job; its own answer is a Failure of kind "cancelled". */
export interface CancelRequest {
  target: number;
}

/** Whether there was such a job. */
export interface CancelAnswer {
  found: boolean;
}

/** What a robot is. */
export interface RobotRequest {
  robot: RobotRef;
}

/** A parameter, and the range of its slider. */
export interface ParameterRow {
  name: string;
  value: number;
  unit: string;
  about: string;
  low: number;
  high: number;
}

/** A coordinate of q or x, or a readout. */
export interface CoordinateRow {
  name: string;
  unit: string;
  driven?: boolean;
}

/** Something to draw, by the indices of its points. bar, spring, damper (a, b); crank (pivot, tip); telescope (base, tip); plate (corners…); base (fixed corners…); ground (a fixed joint). */
export interface PartRow {
  kind: "bar" | "spring" | "damper" | "crank" | "telescope" | "plate" | "base" | "ground";
  points: number[];
  fixed: boolean;
}

/** A line that point `carriage` slides on: through a constant place, or through the point `point`. With `angle`, an index in x, it turns with that plate. It is drawn from `reach[0]` to `reach[1]` along `along`. */
export interface RailRow {
  carriage: number;
  fixed: boolean;
  through: number[] | null;
  point: number | null;
  along: number[];
  angle: number | null;
  reach: number[];
}

/** A drive of the mechanism: what moves with its coordinate and how, for dragging it. */
export interface DriveRow {
  name: string;
  kind: "slider" | "crank" | "telescope";
  point: number;
  base: number | null;
  at: number[] | null;
  along: number[] | null;
  radius: number | null;
  axis: number[] | null;
}

/** What is drawn: named points (the kernel `points` gives them), then `constants`; parts by their indices. */
export interface SceneRow {
  names: string[];
  constants: number[][];
  parts: PartRow[];
  rails: RailRow[];
  drives: DriveRow[];
  tip: number | null;
  plate: boolean;
}

/** A well-conditioned configuration to begin with. */
export interface StartRow {
  q: number[];
  x: number[];
  working: string;
  assembly: string;
  points: number[][];
}

/** A robot, what is drawn of it, and where to begin; `kernels` is the address of its JavaScript module. */
export interface RobotAnswer {
  name: string;
  about: string;
  dimension: number;
  closed: boolean;
  linkage: boolean;
  planar_map: boolean;
  slices: string[][];
  no_crossing: string;
  parameters: ParameterRow[];
  presets: string[];
  q: CoordinateRow[];
  x: CoordinateRow[];
  readouts: CoordinateRow[];
  motors: string[];
  working: string[];
  assembly: string[];
  scene: SceneRow | null;
  kernels: string | null;
  start: StartRow;
  window: number[];
  size: number;
  toml: string;
}

/** A configuration. */
export interface Place {
  q: number[];
  x: number[];
}

/** Every branch with the output at x, or with the drives at q; `near` is where the robot is now. */
export interface SolveRequest {
  robot: RobotRef;
  x?: number[] | null;
  q?: number[] | null;
  near?: Place | null;
}

/** One configuration; `nearest` marks the one that continues `near`. */
export interface Branch {
  q: number[];
  x: number[];
  points: number[][];
  working: string;
  assembly: string;
  residual: number;
  condition: number | null;
  double: boolean;
  nearest: boolean;
}

/** Why a target is not reached: the leg, by how much, and the last output reached on the way from `near`. */
export interface Why {
  leg: string;
  short_by: number;
  message: string;
  boundary: number[] | null;
}

/** Every branch, or the branches at the boundary and why it goes no further. */
export interface SolveAnswer {
  branches: Branch[];
  why: Why | null;
}

/** Everything about one configuration. */
export interface AtRequest {
  robot: RobotRef;
  q: number[];
  x: number[];
}

/** [m] along the shortest of several straight searches of the output to a singularity; null: none met, or, where `searched` is false, not known. */
export interface Distance {
  metres: number | null;
  searched: boolean;
}

/** How far the output can move before it meets a singularity of each type. */
export interface Distances {
  type1: Distance;
  type2: Distance;
}

/** Semi-axes and their unit directions, one row each; radii null where infinite. */
export interface Ellipse {
  radii: (number | null)[];
  axes: number[][];
}

/** A passive joint's value. */
export interface ReadoutRow {
  name: string;
  value: number;
  unit: string;
}

/** The models at a configuration; margins are 1 at best and 0 when singular. */
export interface AtAnswer {
  A: number[][];
  B: number[][];
  J: number[][] | null;
  det_A: number | null;
  det_B: number | null;
  condition_A: number | null;
  condition: number;
  serial: number;
  legs: Record<string, number>;
  kinds: string[];
  distances: Distances;
  velocity_ellipse: Ellipse | null;
  force_ellipse: Ellipse | null;
  free_motion: number[] | null;
  centre: (number | null)[] | null;
  lost_motion: number[] | null;
  readouts: ReadoutRow[];
  residual: number;
  working: string;
  assembly: string;
  warnings: string[];
}

/** det A and det B on the way from x = start to x = end; answered by a frame with s, det_A, det_B (modes, n). */
export interface AlongRequest {
  robot: RobotRef;
  start: number[];
  end: number[];
  working?: string | null;
  samples?: number;
}

/** A proven singular point on the way. */
export interface SingularPointRow {
  type: number;
  s: number;
  x: number[];
  q: number[];
  working: string;
  leg: string;
  free_motion: number[] | null;
}

/** A part of the way that some legs do not reach. */
export interface OutOfReachRow {
  low: number;
  high: number;
  legs: string[];
}

/** `complete`: it is proven that there are no other singular points. */
export interface AlongMeta {
  working: string[];
  points: SingularPointRow[];
  complete: boolean;
  out_of_reach: OutOfReachRow[];
}

/** One turn of a circle in the plane of the output's first two coordinates, from `angle` [rad]. */
export interface CircleRow {
  centre: number[];
  radius: number;
  angle?: number;
}

/** Where can the output follow a path in one working mode: corners with s = 0, 1, … at them, or a circle? */
export interface PathRequest {
  robot: RobotRef;
  working: string;
  corners?: number[][] | null;
  circle?: CircleRow | null;
}

/** A leg that does not reach: by how much [m] where it misses most (on samples), and to which side. */
export interface MissRow {
  leg: string;
  by: number;
  side: "far" | "near";
  x: number[];
}

/** A part of the path that some legs do not reach, and its ends. */
export interface PathGapRow {
  low: number;
  high: number;
  start: number[];
  end: number[];
  legs: MissRow[];
}

/** A part where neither a singular point nor its absence was shown. */
export interface UnresolvedRow {
  low: number;
  high: number;
  x: number[];
  why: string;
}

/** What the path meets, in the order of s; `complete`: it is proven that there are no other singular points. */
export interface PathAnswer {
  working: string;
  end: number;
  points: SingularPointRow[];
  out_of_reach: PathGapRow[];
  unresolved: UnresolvedRow[];
  complete: boolean;
}

/** Is this text a mechanism file, and which robot? */
export interface DefineRequest {
  toml: string;
  equations?: boolean;
}

/** One mistake, lines and columns from 1. */
export interface DefineError {
  line: number;
  column: number;
  message: string;
}

/** Formulas under one title: in LaTeX, as MathML elements, and as text. */
export interface EquationRow {
  title: string;
  latex: string[];
  mathml: string[];
  text: string[];
}

/** A point: fixed; free, with where it was drawn; or carried by a body, in its frame. */
export interface SketchPoint {
  name: string;
  kind: "fixed" | "free" | "carried";
  at: number[] | null;
}

/** A drive with the point that it carries; a telescope has its base and its tip. */
export interface SketchDrive {
  name: string;
  kind: "slider" | "crank" | "telescope";
  point: string;
  at: number[] | null;
  pivot: string;
  along: number[] | null;
  radius: number | null;
  base: string;
  tip: string;
}

/** A bar between two points. */
export interface SketchBar {
  a: string;
  b: string;
  length: number | null;
}

/** A plate, where it was drawn (x, y, angle), and its points in its frame. */
export interface SketchPlate {
  name: string;
  near: number[] | null;
  points: SketchPoint[];
}

/** What a text draws, finished or not: its mobility by count, and what to do next; empty: nothing is missing. */
export interface SketchRow {
  points: SketchPoint[];
  drives: SketchDrive[];
  bars: SketchBar[];
  plates: SketchPlate[];
  output: string;
  mobility: number;
  next: string;
}

/** The robot, or what is wrong; `valid` is whether there is one. `sketch` is null where the text draws nothing. */
export interface DefineAnswer {
  valid: boolean;
  errors: DefineError[];
  robot: RobotAnswer | null;
  equations: EquationRow[];
  sketch: SketchRow | null;
}

/** The screen as a Python script. */
export interface PythonRequest {
  robot: RobotRef;
  screen: string;
  state?: Record<string, unknown>;
}

/** A script that repeats what is on the screen. */
export interface PythonAnswer {
  code: string;
}

/** Which files does the workspace folder hold? */
export interface FilesRequest {
}

/** Mechanism and scenario files, and Python files, by their paths in the workspace. */
export interface FilesAnswer {
  toml: string[];
  python: string[];
  robots: string[];
}

/** The text of a file of the workspace. */
export interface ReadRequest {
  name: string;
}

/** A file's text. */
export interface ReadAnswer {
  text: string;
}

/** Write a mechanism file into the workspace; one that is there is replaced only where that is asked for. */
export interface SaveRequest {
  name: string;
  text: string;
  replace?: boolean;
}

/** Whether it was written; not where a file of that name is there. */
export interface SaveAnswer {
  written: boolean;
}

/** What does a scenario say: one by name, or a text. */
export interface ScenarioRequest {
  source: string;
}

/** A scenario's tables as its file writes them; quantities with units stay texts. */
export interface ScenarioAnswer {
  name: string;
  about: string;
  origin: string;
  robot: string;
  tables: Record<string, unknown>;
}

/** A quantity over a window of the output's plane; a frame with `values`, NaN out of reach, and `slack`. Of a body in space the plane is that of the two coordinates that `hold` leaves. */
export interface MapRequest {
  robot: RobotRef;
  quantity: "det_A" | "det_B" | "condition" | "reach" | "effort";
  working: string;
  window?: number[] | null;
  shape?: number[];
  orientation?: number | null;
  hold?: Record<string, number>;
}

/** What a map spans; the first row is the lowest y. */
export interface MapMeta {
  window: number[];
  quantity: string;
  working: string;
  low: number | null;
  high: number | null;
  area: number;
}

/** The singular curves in a window. */
export interface LociRequest {
  robot: RobotRef;
  working?: string | null;
  window?: number[] | null;
  orientation?: number | null;
  lines?: number;
}

/** A piece of a singular curve. */
export interface CurveRow {
  type: number;
  leg: string;
  working: string;
  closed: boolean;
  points: number[][];
}

/** `complete`: every curve that meets a grid line is here, proven. */
export interface LociAnswer {
  curves: CurveRow[];
  complete: boolean;
}

/** The singular curves of the slice of joint space where one drive is held, for a plate on three telescopes. */
export interface CuspsRequest {
  robot: RobotRef;
  drive: string;
  value: number;
  lines?: number;
}

/** A piece of a singular curve of the slice, in drives and in outputs. */
export interface SliceRow {
  closed: boolean;
  q: number[][];
  x: number[][];
}

/** Where three poses meet: once around it changes the assembly mode, and det A is never zero on the way. */
export interface CuspRow {
  q: number[];
  x: number[];
  certified: boolean;
}

/** `complete`: every curve that meets a line of the search is here, proven. */
export interface CuspsAnswer {
  curves: SliceRow[];
  cusps: CuspRow[];
  complete: boolean;
}

/** The aspects of a mode; a frame with `labels`, −1 for none, `det_A` and `slack` over the window. */
export interface AspectsRequest {
  robot: RobotRef;
  working: string;
  window?: number[] | null;
  shape?: number[];
  orientation?: number | null;
}

/** One aspect: the sign of det A, its area, a point well inside. */
export interface AspectRow {
  sign: number;
  area: number | null;
  x: number[];
  decided: boolean;
}

/** Of the whole reach, whatever the window is, largest first; at the resolution of the search, not a proof. */
export interface AspectsMeta {
  window: number[];
  count: number;
  aspects: AspectRow[];
}

/** disc: one corner and a radius; wall: two corners and half its thickness; polygon: three corners or more. */
export interface ObstacleRow {
  kind: "disc" | "wall" | "polygon";
  corners: number[][];
  radius?: number;
}

/** A motion between two outputs without singularities and collisions. */
export interface PlanRequest {
  robot: RobotRef;
  start: number[];
  end: number[];
  working?: string | null;
  goal_working?: string | null;
  margin?: number;
  width?: number;
  obstacles?: ObstacleRow[];
  prefer?: "shortest" | "clearance";
  changes?: boolean;
}

/** Where a leg passes its end to another working mode. */
export interface ChangeRow {
  leg: string;
  before: string;
  after: string;
  x: number[];
}

/** The motion, or why there is none in each mode. */
export interface PlanAnswer {
  found: boolean;
  message: string;
  path: number[][];
  q: number[][];
  working: string[];
  modes: string[];
  changes: ChangeRow[];
  why: Record<string, string>;
  length: number | null;
  clearance: number | null;
}

/** A motion through a Type 2 singularity; a frame with t, q, x, tau, and tau_plain of the same ends unshaped. */
export interface CrossingRequest {
  robot: RobotRef;
  start: number[];
  end: number[];
  duration: number;
  working: string;
  end_working?: string | null;
  samples?: number;
}

/** `margin` is 1 − (largest effort near the crossing) / (elsewhere); null where efforts have no bound. `plain_effort` is the largest of the unshaped motion, a thousandth of the duration from the crossing; null without one. */
export interface CrossingMeta {
  plain_effort: number | null;
  bounded: boolean;
  working: string[];
  t_singular: number[];
  x_singular: number[][];
  max_effort: number | null;
  effort_at_singularity: (number[] | null)[];
  margin: number | null;
  units: string[];
  text: string;
}

/** A run: a scenario by name, its text, or its tables; `settings` are values by their place in it. With `robot` the scenario's robot is that one. A frame with t, q, x, tau and, where there are such, x_ref, q_ref, error, kinetic, potential, balance, closure. */
export interface SimulateRequest {
  scenario: string | Record<string, unknown>;
  settings?: Record<string, unknown>;
  robot?: RobotRef | null;
  plant?: "exact" | "mujoco";
  record?: number | null;
}

/** `summary` is what `closedchain simulate --json` gives; `job` names the run for downloads. */
export interface SimulateMeta {
  job: string;
  title: string;
  robot: string;
  controller: string;
  ended: string;
  finished: boolean;
  text: string;
  summary: Record<string, unknown>;
  names: Record<string, string[]>;
  units: Record<string, string[]>;
  output: string;
}

/** A robot against independent engines; motion is a name, or formulas for a duration, in a working mode. "q1 = 0.1*sin(t); q2 = 0" moves the drives, "x = 0.1*sin(t); y = 0.3" the output. */
export interface VerifyRequest {
  robot: RobotRef;
  engine?: string;
  states?: number | null;
  motion?: string;
  duration?: number;
  working?: string | null;
}

/** One quantity; max is null where it is not finite; size is the largest value compared, 0 where all are zero. */
export interface VerifyRow {
  quantity: string;
  engine: string;
  way: string;
  motion: string;
  max: number | null;
  rms: number | null;
  limit: number;
  ok: boolean;
  unit: string;
  why: string;
  size: number;
}

/** The rows of `closedchain verify --json`, and what explains a difference. */
export interface VerifyAnswer {
  passed: boolean;
  robot: string;
  engines: string[];
  rows: VerifyRow[];
  notes: string[];
  absent: string[];
  causes: string[];
}

/** A parameter from low to high; `count` values of it where a map is made. */
export interface AxisRow {
  name: string;
  low: number;
  high: number;
  count?: number;
}

/** A measure over two parameters, all others as the robot has them. A frame with `values` (of the second axis, of the first), NaN where there is none. */
export interface SweepRequest {
  robot: RobotRef;
  axes: AxisRow[];
  compute: string;
  working?: string | null;
  orientation?: number | null;
}

/** The measure's unit and meaning; why some points have none, each reason with how many. */
export interface SweepMeta {
  compute: string;
  unit: string;
  about: string;
  low: number | null;
  high: number | null;
  reasons: Record<string, number>;
}

/** The designs between which nothing is better in every goal, parameters between two numbers. */
export interface DesignRequest {
  robot: RobotRef;
  vary: AxisRow[];
  maximise?: string[];
  minimise?: string[];
  evaluations?: number;
  working?: string | null;
  orientation?: number | null;
}

/** A design: its parameters, and its goals' values. */
export interface DesignRow {
  values: number[];
  goals: number[];
}

/** Designs in the order of the first goal. */
export interface DesignAnswer {
  dimensions: string[];
  goals: string[];
  units: string[];
  rows: DesignRow[];
  evaluations: number;
}

/** Grade a group's file in the lab's sandbox; only when a person has confirmed that its code may run there. */
export interface GradeRequest {
  name: string;
  text: string;
  confirmed: boolean;
  robot?: string | null;
  seed?: number;
}

/** The document of `closedchain lab grade --json`; `passed` is its `ok`. */
export interface GradeAnswer {
  passed: boolean;
  submissions: Record<string, unknown>[];
}

/** A file of a run that was simulated before. */
export interface FileRequest {
  job: string;
  format: "npz" | "csv" | "png" | "svg" | "gif" | "mp4" | "html" | "report" | "toml";
}

/** An address to GET once. */
export interface FileAnswer {
  url: string;
  name: string;
  bytes: number;
}

/** One sentence for people, where it is, and of which kind. */
export interface ErrorBody {
  message: string;
  where: string;
  kind: "usage" | "input" | "unreachable" | "limit" | "cancelled" | "internal";
}

/** A request that has no answer, and why. */
export interface Failure {
  id: number;
  ok: false;
  error: ErrorBody;
}

/** How far a job is, 0 … 1, null where that is not known. */
export interface Progress {
  id: number;
  progress: number | null;
  note: string;
}

/** Where an array stands in a binary frame: bytes after the header, little-endian. */
export interface ArrayHeader {
  name: string;
  shape: number[];
  dtype: "f4" | "f8";
  offset: number;
}

/** The JSON part of a binary frame: "CCB1", uint32 id, uint32 length of this header, the header, the data. */
export interface FrameHeader {
  arrays: ArrayHeader[];
  meta: Record<string, unknown>;
}

/** Of each operation: its request, its answer, and whether that is a binary frame's meta. */
export interface Operations {
  hello: { request: HelloRequest; answer: HelloAnswer; frame: false };
  cancel: { request: CancelRequest; answer: CancelAnswer; frame: false };
  robot: { request: RobotRequest; answer: RobotAnswer; frame: false };
  solve: { request: SolveRequest; answer: SolveAnswer; frame: false };
  at: { request: AtRequest; answer: AtAnswer; frame: false };
  along: { request: AlongRequest; answer: AlongMeta; frame: true };
  path: { request: PathRequest; answer: PathAnswer; frame: false };
  define: { request: DefineRequest; answer: DefineAnswer; frame: false };
  python: { request: PythonRequest; answer: PythonAnswer; frame: false };
  files: { request: FilesRequest; answer: FilesAnswer; frame: false };
  read: { request: ReadRequest; answer: ReadAnswer; frame: false };
  save: { request: SaveRequest; answer: SaveAnswer; frame: false };
  scenario: { request: ScenarioRequest; answer: ScenarioAnswer; frame: false };
  map: { request: MapRequest; answer: MapMeta; frame: true };
  loci: { request: LociRequest; answer: LociAnswer; frame: false };
  cusps: { request: CuspsRequest; answer: CuspsAnswer; frame: false };
  aspects: { request: AspectsRequest; answer: AspectsMeta; frame: true };
  plan: { request: PlanRequest; answer: PlanAnswer; frame: false };
  crossing: { request: CrossingRequest; answer: CrossingMeta; frame: true };
  simulate: { request: SimulateRequest; answer: SimulateMeta; frame: true };
  verify: { request: VerifyRequest; answer: VerifyAnswer; frame: false };
  sweep: { request: SweepRequest; answer: SweepMeta; frame: true };
  design: { request: DesignRequest; answer: DesignAnswer; frame: false };
  grade: { request: GradeRequest; answer: GradeAnswer; frame: false };
  file: { request: FileRequest; answer: FileAnswer; frame: false };
}
