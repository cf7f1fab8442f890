/** A state with a wrong answer, as `closedchain lab grade --json` writes it. */
export interface Failure {
  inputs: Record<string, number>;
  expected: Record<string, number> | null; // null: out of reach
  got: Record<string, number> | null;
  words: string;
}

export interface FunctionGrade {
  name: string;
  verdict: string;
  score: number;
  right: number;
  states: number;
  largest: number | null;
  mistakes: string[];
  says: string[];
  notes: string[];
  failure: Failure | null;
}

/** A model file with ten functions, or a control script with what was measured. */
export interface FileGrade {
  kind: "models" | "control";
  file: string;
  robot: string;
  score: number;
  verdict: string;
  functions?: FunctionGrade[];
  measured?: Record<string, unknown>;
  notes: string[];
  parameters?: Record<string, number>;
  protections: Record<string, string>;
  output: string;
}

export interface Submission {
  name: string;
  files: FileGrade[];
  problem: string;
  ok: boolean;
}
