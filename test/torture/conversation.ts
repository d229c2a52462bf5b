import type { FeishuNetwork } from '../support/feishu-network.js';
import type { NetworkRig } from '../support/rig.js';
import type { TelegramNetwork } from '../support/telegram-network.js';
import type { WechatNetwork } from '../support/wechat-network.js';
import { FEISHU_CALLS, feishuFault, ILINK_CALLS, ilinkFault, TELEGRAM_CALLS, telegramFault } from './disturbances.js';
import type { Random } from './random.js';

/** What a run needs of a network besides a {@link NetworkRig}. */
export interface Network {
  readonly rig: NetworkRig;
  /** Whether the network hands messages over in the order they were written, also after a crash of who takes them. */
  readonly keepsOrder: boolean;
  /** Whether it takes a few answers only until the person writes again. */
  readonly hasReplyWindow: boolean;
  /** Answers without a verdict at most; the person would wait no longer for more. */
  readonly openAnswers: number;
  /** A message of the person that carries a file named after it. */
  saysWithFile(label: string): Promise<void>;
  /** Names of the files of the agent that the person sees. */
  filesShown(): readonly string[];
  /** Everything that was not acknowledged comes again, as it does in life after minutes or hours. */
  redeliver(): void;
  /** The next call of some kind goes wrong in some way. */
  disturb(random: Random): void;
  /** Calls go right again. */
  mend(): void;
}

/** Content of the person's file of this label, so that its bytes can be checked at the other end. */
export function contentOf(label: string): string {
  return `the bytes of ${label}`;
}

/**
 * Faults that wait for one kind of call at most. Of rare calls, files to be fetched, more would gather than the six tries that each is
 * given within a minute: that is a network which is down, not one that fails now and then.
 */
const MAX_WAITING_FAULTS = 3;

interface Faults<F> {
  waiting(call: string): number;
  add(call: string, fault: F): void;
}

function disturb<F>(faults: Faults<F>, call: string, fault: F): void {
  if (faults.waiting(call) < MAX_WAITING_FAULTS) faults.add(call, fault);
}

export function telegramNetwork(rig: TelegramNetwork): Network {
  return {
    rig,
    keepsOrder: true,
    hasReplyWindow: false,
    openAnswers: 4,
    saysWithFile: async (label) => rig.personSendsFile(Buffer.from(contentOf(label)), `${label}.txt`, 'text/plain'),
    filesShown: () => rig.filesOfBot().map(({ filename }) => filename),
    redeliver: () => undefined,
    disturb: (random) => disturb(rig.simulator.faults, random.weighted(TELEGRAM_CALLS), telegramFault(random)),
    mend: () => rig.recover(),
  };
}

export function wechatNetwork(rig: WechatNetwork): Network {
  return {
    rig,
    keepsOrder: true,
    hasReplyWindow: true,
    openAnswers: 2,
    saysWithFile: async (label) => void rig.simulator.sendFile(Buffer.from(contentOf(label)), `${label}.txt`),
    filesShown: () => rig.simulator.phone.shown.flatMap(({ name }) => (name === undefined ? [] : [name])),
    redeliver: () => undefined,
    disturb: (random) => disturb(rig.simulator.faults, random.weighted(ILINK_CALLS), ilinkFault(random)),
    mend: () => rig.recover(),
  };
}

export function feishuNetwork(rig: FeishuNetwork): Network {
  return {
    rig,
    // What was not acknowledged comes again later, after what was written since.
    keepsOrder: false,
    hasReplyWindow: false,
    openAnswers: 6,
    saysWithFile: (label) => rig.personSays(label),
    filesShown: () =>
      rig.simulator.world.visible().flatMap((shown) => /^\[file (.+)\]$/.exec(shown)?.slice(1, 2) ?? []),
    redeliver: () => rig.simulator.push.repeatUnacknowledged(),
    disturb: (random) => {
      if (random.chance(0.1)) rig.simulator.push.cut();
      else rig.simulator.fail(random.weighted(FEISHU_CALLS), feishuFault(random));
    },
    mend: () => rig.simulator.mend(),
  };
}
