import { pino } from 'pino';
import { STRAIGHT } from '../../src/base/proxy/way-out.js';
import { createLocalTarget } from '../../src/targets/local/index.js';
import type {
  AccountHandle,
  BindingState,
  InboundMessage,
  Intake,
  IntakeBatch,
  MessageFate,
  Receipt,
  SignInAttempt,
  TargetSession,
} from '../../src/targets/target.js';
import { ManualClock } from './manual-clock.js';
import { MemoryFiles } from './memory-files.js';

/** The durable side of delivery, in memory: what was committed survives a new target over the same intake. */
export class ChatIntake implements Intake {
  readonly values = new Map<string, string>();
  readonly messages: { accountId: string; message: InboundMessage }[] = [];
  readonly fates = new Map<string, MessageFate>();
  commits = 0;
  full = false;
  broken = false;

  fate(_accountId: string, messageId: string): MessageFate {
    return this.fates.get(messageId) ?? 'waiting';
  }

  state(consumer: string, key: string): string | undefined {
    return this.values.get(`${consumer}\n${key}`);
  }

  async commit(batch: IntakeBatch): Promise<void> {
    await Promise.resolve();
    this.commits += 1;
    if (this.broken) throw new Error('disk full');
    for (const [key, value] of Object.entries(batch.state)) {
      if (value === null) this.values.delete(`${batch.consumer}\n${key}`);
      else this.values.set(`${batch.consumer}\n${key}`, value);
    }
    this.messages.push(...batch.messages);
  }

  roomFor(_accountIds: readonly string[], signal: AbortSignal): Promise<void> {
    if (!this.full) return Promise.resolve();
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
  }
}

export function account(accountId = 'acc_1', reports: BindingState[] = []): AccountHandle {
  return {
    accountId,
    identity: 'name:ada',
    binding: { displayName: 'Ada' },
    credentials: {},
    report: (state) => void reports.push(state),
    updateBinding: () => Promise.resolve(),
  };
}

export function attempt(input: Record<string, string>, identities: readonly string[] = []): SignInAttempt {
  return {
    flowId: 'local_pairing',
    input,
    signal: new AbortController().signal,
    existing: identities.map((identity, index) => ({ accountId: `acc_${index}`, identity, binding: null })),
    report: () => undefined,
    ask: () => Promise.reject(new Error('asks nothing')),
    onRefresh: () => undefined,
    credentialsOf: () => Promise.resolve(undefined),
  };
}

export function setUp(intake = new ChatIntake(), clock = new ManualClock()) {
  const files = new MemoryFiles();
  const target = createLocalTarget({ files, messageTtlMs: 3_600_000 });
  const runtime = target.start({
    clock,
    log: pino({ level: 'silent' }),
    intake,
    random: () => 0,
    wayOut: STRAIGHT,
    accounts: () => [],
  });
  return { clock, target, runtime, intake, files, chat: target.chat };
}

export const signal = new AbortController().signal;

/** Does what delivery does with a receipt: has it written, then shown. */
export async function put(intake: ChatIntake, sending: Promise<Receipt>): Promise<Receipt['messageId']> {
  const { messageId, write } = await sending;
  if (write) {
    try {
      await intake.commit({ consumer: write.consumer, state: write.state, messages: [] });
    } catch (error) {
      write.failed();
      throw error;
    }
    write.done();
  }
  return messageId;
}

export const say = (intake: ChatIntake, session: TargetSession, text: string, key: string) =>
  put(intake, session.send({ kind: 'text', text }, key, signal));
