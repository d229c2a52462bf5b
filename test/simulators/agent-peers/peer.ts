import type { JsonObject, ResponseReading } from '../../../src/e2a/index.js';

/** An agent of another protocol. */
export interface AgentPeer {
  /** What it was asked, in its own protocol's words. */
  readonly heard: readonly string[];
  ask(envelope: JsonObject, answer: (response: ResponseReading) => void): Promise<void>;
  close(): Promise<void>;
}

/** What every peer answers, so that the answers of several can be compared. */
export function answerTo(question: string): readonly string[] {
  return ['You asked: ', question];
}
