import type { WordCode } from '../../words/lists.js';

type StepCode = Extract<WordCode, `step.${string}`>;

export interface StepList {
  /** What to do and how. */
  readonly steps: readonly (readonly [title: StepCode, detail: StepCode])[];
  /** The step at which the code is scanned, from 0. */
  readonly toScan: number;
  /** The step after it. */
  readonly afterScan: number;
}

const STEPS: Readonly<Record<string, StepList>> = {
  wechat: {
    steps: [
      ['step.wechat.1', 'step.wechat.1.text'],
      ['step.wechat.2', 'step.wechat.2.text'],
      ['step.wechat.3', 'step.wechat.3.text'],
    ],
    toScan: 1,
    afterScan: 2,
  },
  feishu: {
    steps: [
      ['step.feishu.1', 'step.feishu.1.text'],
      ['step.feishu.2', 'step.feishu.2.text'],
      ['step.feishu.3', 'step.feishu.3.text'],
    ],
    toScan: 0,
    afterScan: 1,
  },
  telegram: {
    steps: [
      ['step.telegram.1', 'step.telegram.1.text'],
      ['step.telegram.2', 'step.telegram.2.text'],
      ['step.telegram.3', 'step.telegram.3.text'],
    ],
    toScan: 0,
    afterScan: 1,
  },
};

const OTHER: StepList = {
  steps: [
    ['step.other.1', 'step.other.1.text'],
    ['step.other.2', 'step.other.2.text'],
    ['step.other.3', 'step.other.3.text'],
  ],
  toScan: 1,
  afterScan: 2,
};

/** The steps on the phone by network. */
export function stepsOf(network: string): StepList {
  return STEPS[network] ?? OTHER;
}
