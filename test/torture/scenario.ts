import type { Random } from './random.js';

/** One promise, put under load until it would break. */
export interface Scenario {
  readonly name: string;
  /** What is promised, in a few words. */
  readonly promise: string;
  run(context: ScenarioContext): Promise<Outcome>;
}

export interface ScenarioContext {
  readonly random: Random;
  /** The form for a machine that has a minute, not an hour. */
  readonly short: boolean;
  /** One line now and then, for whoever watches a long run. */
  readonly progress: (line: string) => void;
}

export interface Outcome {
  /** What was done to the program, in one sentence. */
  readonly happened: string;
  readonly figures: Readonly<Record<string, number | string>>;
  /** Broken promises, in words; empty when all were kept. */
  readonly broken: readonly string[];
}

/** Collects what a scenario finds broken. */
export class Findings {
  readonly broken: string[] = [];

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.broken.push(otherwise);
  }
}

/** A length of time that is itself the point of a scenario: a random instant, or load kept up for a while. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
