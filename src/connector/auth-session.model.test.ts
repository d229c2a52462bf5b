import fc from 'fast-check';
import { expect, it } from 'vitest';
import { QR_FLOW } from '../../test/support/fake-target.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { quietLog } from '../../test/support/quiet-log.js';
import { AuthSession, type Try } from './auth-session.js';

/** A sign-in through any order of what network, person, agent and time may do, against a model of it. */

const TTL_MS = 480_000;

type Event =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'clock set'; readonly hours: number }
  /** `late` is said by the try before the latest one. */
  | { readonly kind: 'scanned' | 'asks' | 'seal' | 'wants refreshes'; readonly late: boolean }
  | { readonly kind: 'answers'; readonly whole: boolean }
  | { readonly kind: 'begin again' | 'refresh' | 'cancel' | 'stored' | 'not stored' };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 1, max: TTL_MS }) }),
  fc.record({ kind: fc.constant('clock set' as const), hours: fc.constantFrom(-26, 26) }),
  fc.record({
    kind: fc.constantFrom('scanned' as const, 'asks' as const, 'seal' as const, 'wants refreshes' as const),
    late: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('answers' as const), whole: fc.boolean() }),
  fc.record({
    kind: fc.constantFrom(
      'begin again' as const,
      'refresh' as const,
      'cancel' as const,
      'stored' as const,
      'not stored' as const,
    ),
  }),
);

interface Model {
  phase: 'running' | 'authenticated' | 'canceled' | 'expired' | 'failed';
  sealed: boolean;
  asked: boolean;
  status: 'pending' | 'scanned';
  refreshable: boolean;
  /** Milliseconds of monotonic time until it expires. */
  left: number;
}

const fresh = (): Model => ({
  phase: 'running',
  sealed: false,
  asked: false,
  status: 'pending',
  refreshable: false,
  left: TTL_MS,
});

it('ends exactly once, obeys its latest try alone, and can not be stopped while its account is stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const clock = new ManualClock();
      const session = new AuthSession({
        flow: QR_FLOW,
        channelId: 'cch_1',
        clock,
        log: quietLog,
        ttlMs: TTL_MS,
        confidential: () => undefined,
        changed: () => undefined,
      });
      const known = { existing: [], credentialsOf: async () => undefined };
      const model = fresh();
      const tries: Try[] = [session.begin({}, known)];
      let questions = 0;
      let settled = 0;
      let refreshes = 0;
      const running = (): boolean => model.phase === 'running';
      for (const now of events) {
        const attempt = 'late' in now && now.late ? tries.at(-2) : tries.at(-1);
        const counts = attempt === tries.at(-1) && running();
        switch (now.kind) {
          case 'time':
            await clock.advance(now.ms);
            model.left -= now.ms;
            if (running() && !model.sealed && model.left <= 0) model.phase = 'expired';
            break;
          case 'clock set':
            clock.jumpWall(now.hours * 3_600_000);
            break;
          case 'scanned':
            attempt?.attempt.report({ status: 'scanned', message: 'confirm_on_phone' });
            if (counts && !model.asked) model.status = 'scanned';
            break;
          case 'wants refreshes':
            attempt?.attempt.onRefresh(() => (refreshes += 1));
            if (counts) model.refreshable = true;
            break;
          case 'asks':
            if (!attempt) break;
            questions += 1;
            attempt.attempt.ask(['verify_code'], 'verify_code').then(
              () => (settled += 1),
              () => (settled += 1),
            );
            if (counts) Object.assign(model, { asked: true, status: 'pending' });
            break;
          case 'answers': {
            const taken = session.provide(now.whole ? { verify_code: '1234' } : { other: 'x' });
            expect(taken).toBe(running() && model.asked && now.whole);
            if (taken) model.asked = false;
            break;
          }
          case 'begin again':
            // As the connector does it: only a session that runs and is not being stored.
            if (!running() || model.sealed) break;
            tries.push(session.begin({}, known));
            Object.assign(model, fresh());
            break;
          case 'refresh': {
            const before = refreshes;
            const did = session.refresh();
            expect(did).toBe(running() && !model.sealed && model.refreshable);
            expect(refreshes - before).toBe(did ? 1 : 0);
            if (did) model.left = TTL_MS;
            break;
          }
          case 'cancel':
            session.end('canceled', 'canceled', 'canceled');
            if (running() && !model.sealed) model.phase = 'canceled';
            break;
          case 'seal':
            if (!attempt) break;
            expect(session.seal(attempt)).toBe(counts);
            if (counts) model.sealed = true;
            break;
          case 'stored':
            if (!running() || !model.sealed) break;
            session.authenticated('acc_1');
            model.phase = 'authenticated';
            break;
          case 'not stored':
            if (!running() || !model.sealed) break;
            session.end('failed', 'store_unavailable', 'no', true);
            model.phase = 'failed';
            break;
        }
        await clock.advance(0);
        const { state } = session;
        expect(session.running).toBe(running());
        if (state.phase === 'running') {
          expect([state.status, state.asked.length > 0]).toEqual([model.status, model.asked]);
          expect(tries.filter((each) => each.isCurrent())).toEqual(tries.slice(-1));
        } else {
          expect(state.phase === 'ended' ? state.status : state.phase).toBe(model.phase);
          expect(tries.some((each) => each.isCurrent())).toBe(false);
          expect(tries.every(({ attempt: { signal } }) => signal.aborted)).toBe(true);
        }
        expect(settled).toBe(questions - (running() && model.asked ? 1 : 0));
      }
    }),
    { numRuns: 300 },
  );
});
