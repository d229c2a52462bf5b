import type { Clock } from '../../base/clock.js';
import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import {
  REHEARSAL_STEPS,
  type RehearsalCode,
  type RehearsalSnapshot,
  type RehearsalStep,
  type RehearsalStepId,
} from '../../bridge/index.js';
import { CommandError } from '../command-error.js';
import { card, key, refusals } from './door-steps.js';
import { file } from './file-steps.js';
import { Play, type PlayParts, type Step } from './play.js';
import { must, StepFailure } from './step-failure.js';
import { answer, channel, hello, inbound, repeat } from './talk-steps.js';

/** Each takes milliseconds on a machine that is well; a disk that is asleep takes a few seconds. Milliseconds. */
const STEP_DEADLINE_MS = 10_000;

/** Signs out and lets go of the socket; whatever a step left is ended with it. */
const cleanup: Step = async (play) => {
  const { agent, channelId, parts } = play;
  if (agent === undefined) return;
  try {
    if (channelId !== '') {
      const { errorCode } = await agent.request('auth.logout', {}, channelId);
      must(errorCode === undefined, 'not_cleaned_up', `the sign-out was answered ${errorCode ?? ''}`);
    }
    await agent.close();
  } finally {
    agent.terminate();
  }
  must(parts.stage.connector.accounts().length === 0, 'not_cleaned_up');
};

const STEPS: Readonly<Record<RehearsalStepId, Step>> = {
  card,
  key,
  refusals,
  hello,
  channel,
  inbound,
  answer,
  repeat,
  file,
  cleanup,
};

/**
 * Plays an agent against the running server, over its real address and sockets, and says of each step whether it went as it
 * should. One at a time; what it leaves is nothing, also when it is stopped half-way.
 */
export class Rehearsal {
  #snapshot: RehearsalSnapshot | undefined;
  #running: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  constructor(
    private readonly parts: PlayParts & {
      readonly clock: Clock;
      readonly log: Logger;
      /** The snapshot is another one. */
      readonly changed: () => void;
    },
  ) {}

  /** The one that runs, or the last one since the start. */
  get snapshot(): RehearsalSnapshot | undefined {
    return this.#snapshot;
  }

  /** Begins; {@link snapshot} shows how it goes. @throws CommandError `rehearsal_running` */
  start(): void {
    if (this.#running) throw new CommandError('rehearsal_running', 'a rehearsal is under way');
    const stop = new AbortController();
    const done = this.#run(stop.signal).finally(() => (this.#running = undefined));
    this.#running = { stop, done };
  }

  /** Ends the one that runs, if any; it still cleans up. */
  stop(): void {
    this.#running?.stop.abort();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#running?.done;
  }

  async #run(stopped: AbortSignal): Promise<void> {
    const { clock, log, stage } = this.parts;
    const steps = REHEARSAL_STEPS.map((id): RehearsalStep => ({
      id,
      status: 'todo',
      tookMs: undefined,
      code: undefined,
    }));
    this.#show({ status: 'running', startedAt: clock.now(), endedAt: undefined, steps });
    let status: 'passed' | 'failed' | 'stopped' = 'passed';
    try {
      const play = new Play(this.parts, await stage.enter());
      for (const id of REHEARSAL_STEPS) {
        // Once a step failed or the person stopped, only what cleans up is left to do.
        if (status !== 'passed' && id !== 'cleanup') continue;
        const passed = await this.#step(id, play, id === 'cleanup' ? undefined : stopped);
        if (stopped.aborted) status = 'stopped';
        else if (!passed) status = 'failed';
      }
    } catch (error) {
      log.error({ error: describeError(error) }, 'a rehearsal could not begin');
      this.#update(REHEARSAL_STEPS[0], { status: 'failed', tookMs: undefined, code: 'internal_error' });
      status = 'failed';
    } finally {
      stage.leave();
      this.#show({ ...this.#shown(), status, endedAt: clock.now() });
      log.info({ status }, 'a rehearsal ended');
    }
  }

  /** @returns whether it passed */
  async #step(id: RehearsalStepId, play: Play, stopped: AbortSignal | undefined): Promise<boolean> {
    const { clock, log } = this.parts;
    this.#update(id, { status: 'running', tookMs: undefined, code: undefined });
    const beganAt = clock.monotonic();
    const code = await this.#within(STEPS[id], play, stopped).then(
      () => undefined,
      (error: unknown) => {
        log.info({ step: id, error: describeError(error) }, 'a step of the rehearsal failed');
        return error instanceof StepFailure ? error.code : 'internal_error';
      },
    );
    const tookMs = Math.round(clock.monotonic() - beganAt);
    if (code === undefined) this.#update(id, { status: 'passed', tookMs, code });
    else if (stopped?.aborted === true) this.#update(id, { status: 'todo', tookMs: undefined, code: undefined });
    else this.#update(id, { status: 'failed', tookMs, code });
    return code === undefined;
  }

  /** Runs a step until its deadline or until the person stops; a step that does not heed its signal is left behind. */
  async #within(step: Step, play: Play, stopped: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    const late = new Promise<never>((_, reject) => {
      over.signal.addEventListener('abort', () => reject(new StepFailure(this.#whyLate())), { once: true });
    });
    if (stopped?.aborted === true) end();
    stopped?.addEventListener('abort', end, { once: true });
    const timer = this.parts.clock.after(STEP_DEADLINE_MS, end);
    try {
      await Promise.race([step(play, over.signal), late]);
    } finally {
      timer.cancel();
      stopped?.removeEventListener('abort', end);
    }
  }

  #whyLate(): RehearsalCode {
    return this.parts.paused() ? 'delivery_paused' : 'timeout';
  }

  #update(id: RehearsalStepId, step: Omit<RehearsalStep, 'id'>): void {
    const shown = this.#shown();
    this.#show({ ...shown, steps: shown.steps.map((one) => (one.id === id ? { id, ...step } : one)) });
  }

  #shown(): RehearsalSnapshot {
    return this.#snapshot ?? { status: 'running', startedAt: this.parts.clock.now(), endedAt: undefined, steps: [] };
  }

  #show(snapshot: RehearsalSnapshot): void {
    this.#snapshot = snapshot;
    this.parts.changed();
  }
}
