import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A condition is awaited this long: machines that run several suites at once are slow, and a rule is no stopwatch. Milliseconds. */
const POLL = { poll: { timeout: 20_000, interval: 20 } };

/** Tests over real programs are tried once more where nobody can look at the machine: one that stalled is no broken rule. */
const RETRY = process.env['CI'] ? 1 : 0;

/** So many files of a suite that waits for programs and networks run at a time: three keep one core busy. */
const WAITING_FILES = 3;

/** These take half a minute or so, most of it waiting: they begin first, in this order, so that a suite does not end with one of them. */
const LONGEST = [
  'e2e/torture',
  'e2e/crash',
  'e2e/telegram-crabline',
  'e2e/wechat-crash',
  'conformance/outbound',
  'conformance/cli',
  'conformance/wechat',
  'conformance/inbound',
  'conformance/lease',
  'window/accessibility',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const longest = LONGEST.flatMap((name) =>
      others.filter(({ moduleId }) => moduleId.endsWith(`/test/${name}.test.ts`)),
    );
    return [...new Set([...longest, ...others])];
  }
}

// Each suite is a project, so that `npm run test:unit` stays fast and each of the slower ones runs as few files at a time as it must.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'renderer/src/**/*.test.ts', 'test/unit/**/*.test.ts'],
          // No module keeps a state of its own, so that a process for each file would only load the same code 200 times.
          isolate: false,
          // Two also on two cores: a third of their time is waiting.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          testTimeout: 40_000,
          hookTimeout: 20_000,
          expect: POLL,
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          maxWorkers: WAITING_FILES,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry: RETRY,
          expect: POLL,
        },
      },
      {
        test: {
          name: 'window',
          include: ['test/window/**/*.test.ts'],
          globalSetup: ['test/window/support/build-page.ts'],
          // One browser for the file that looks at every state, one for all the others in turn.
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry: RETRY,
          expect: POLL,
        },
      },
      {
        test: {
          name: 'desktop',
          include: ['test/desktop/**/*.test.ts'],
          // A second Electron beside the first gains nothing on two cores.
          fileParallelism: false,
          testTimeout: 90_000,
          hookTimeout: 90_000,
          retry: RETRY,
          expect: POLL,
        },
      },
      {
        test: {
          name: 'journeys',
          include: ['test/journeys/**/*.test.ts'],
          // Each is one person's day in one run of the product; two at once only slow each other down.
          fileParallelism: false,
          // No second try: each part stands on the ones before it.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: POLL,
        },
      },
      {
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 90_000,
          expect: POLL,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          maxWorkers: WAITING_FILES,
          testTimeout: 240_000,
          hookTimeout: 120_000,
          retry: RETRY,
          expect: POLL,
        },
      },
    ],
  },
});
